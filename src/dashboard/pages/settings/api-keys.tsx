import { Page } from "../../parts/page.tsx";

export default function ApiKeys() {
  return <Page title="API keys">{null}</Page>;
}
