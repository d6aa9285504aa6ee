import { Page } from "../../parts/page.tsx";

export default function Account() {
  return <Page title="Account">{null}</Page>;
}
