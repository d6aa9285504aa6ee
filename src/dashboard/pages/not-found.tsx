/** Page for unknown paths of the dashboard. */
import { Button } from "@mantine/core";
import { Link } from "wouter";

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
        action={
          <Button component={Link} to="/">
            {notFoundTexts.toOverview}
          </Button>
        }
      >
        {notFoundTexts.hint}
      </EmptyState>
    </Page>
  );
}
