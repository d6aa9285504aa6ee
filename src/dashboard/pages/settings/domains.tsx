import { Page } from "../../parts/page.tsx";

export default function Domains() {
  return <Page title="Domains">{null}</Page>;
}
