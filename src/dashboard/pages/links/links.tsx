import { Page } from "../../parts/page.tsx";

export default function Links() {
  return <Page title="Links">{null}</Page>;
}
