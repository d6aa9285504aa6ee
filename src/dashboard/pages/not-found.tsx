/** Page for unknown paths of the dashboard. */
import { Page } from "../components/page.tsx";
import { EmptyState } from "../components/states.tsx";
import { icon } from "../icons.tsx";
import { notFoundTexts } from "../texts/shell.ts";

export default function NotFound() {
  return (
    <Page title={notFoundTexts.title}>
      <EmptyState
        icon={icon("map-question", 30)}
        title={notFoundTexts.heading}
        action={notFoundTexts.toOverview}
        to="/"
      >
        {notFoundTexts.hint}
      </EmptyState>
    </Page>
  );
}
