import { Page } from "../parts/page.tsx";

export default function NotFound() {
  return <Page title="Not found">{null}</Page>;
}
