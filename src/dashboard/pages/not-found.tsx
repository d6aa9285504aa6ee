/** Page for unknown paths of the dashboard. */
import { Button } from "@mantine/core";
import { IconMapQuestion } from "@tabler/icons-react";
import { Link } from "wouter";

import { Page } from "../components/page.tsx";
import { EmptyState } from "../components/states.tsx";

export default function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState
        icon={<IconMapQuestion size={30} />}
        title="There is no such page"
        action={
          <Button component={Link} to="/links">
            Go to your links
          </Button>
        }
      >
        The address may be mistyped, or the page has moved.
      </EmptyState>
    </Page>
  );
}
