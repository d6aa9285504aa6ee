/** One link. */
import { Page } from "../../parts/page.tsx";

export default function LinkDetails({ id }: { id: string }) {
  return <Page title="Link">{id}</Page>;
}
