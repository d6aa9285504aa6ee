/** Page of one link, with tabs for statistics, rules and QR codes. A tab's code is loaded when it is first opened. */
import { Button, Skeleton, Tabs } from "@mantine/core";
import { IconArrowsSplit2, IconChartBar, IconLinkOff, IconQrcode } from "@tabler/icons-react";
import { lazy, type ReactNode, Suspense } from "react";
import { Link as RouterLink, useLocation, useSearchParams } from "wouter";

import { ApiError } from "../../api/api-error.ts";
import { Page } from "../../components/page.tsx";
import { PageSkeleton } from "../../components/skeletons.tsx";
import { EmptyState, ErrorState } from "../../components/states.tsx";
import { LinkActions, LinkSummary } from "./link-header.tsx";
import { type LinkRevision, useLink } from "./use-link.ts";

const StatsPanel = lazy(() => import("./stats/stats-panel.tsx"));
const RuleEditor = lazy(() => import("./rules/rule-editor.tsx"));
const QrDesigner = lazy(() => import("./qr/qr-designer.tsx"));

const TABS = ["stats", "rules", "qr"] as const;
type Tab = (typeof TABS)[number];

export default function LinkDetails({ id }: { id: string }) {
  const { data, error, refetch } = useLink(id);
  const isGone = error instanceof ApiError && error.status === 404;
  // The key resets the state of the page when another link is opened.
  if (data && !isGone) return <LinkPage key={id} current={data} />;
  if (!error) return <PageSkeleton />;
  return (
    <Page title="Link">
      {isGone ? (
        <EmptyState
          icon={<IconLinkOff aria-hidden />}
          title="No such link"
          action={
            <Button component={RouterLink} to="/links" variant="default">
              All links
            </Button>
          }
        >
          It may have been deleted, or belong to the other mode.
        </EmptyState>
      ) : (
        <ErrorState error={error} retry={() => void refetch()} />
      )}
    </Page>
  );
}

function LinkPage({ current }: { current: LinkRevision }) {
  const [tab, setTab] = useTab();
  const { link } = current;
  return (
    <Page
      title={`${link.domain}/${link.slug}`}
      description={<LinkSummary link={link} />}
      actions={<LinkActions current={current} />}
    >
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List aria-label="Parts of this link">
          <Tabs.Tab px="xs" value="stats" leftSection={<IconChartBar size={16} aria-hidden />}>
            Statistics
          </Tabs.Tab>
          <Tabs.Tab px="xs" value="rules" leftSection={<IconArrowsSplit2 size={16} aria-hidden />}>
            Rules{link.routing.length > 0 && ` (${link.routing.length})`}
          </Tabs.Tab>
          <Tabs.Tab px="xs" value="qr" leftSection={<IconQrcode size={16} aria-hidden />}>
            QR code
          </Tabs.Tab>
        </Tabs.List>
        <Panel tab="stats">
          <StatsPanel link={link} />
        </Panel>
        <Panel tab="rules">
          <RuleEditor current={current} />
        </Panel>
        <Panel tab="qr">
          <QrDesigner link={link} />
        </Panel>
      </Tabs>
    </Page>
  );
}

function Panel({ tab, children }: { tab: Tab; children: ReactNode }) {
  return (
    <Tabs.Panel value={tab} pt="md">
      <Suspense fallback={<Skeleton height={320} />}>{children}</Suspense>
    </Tabs.Panel>
  );
}

/** The tab is part of the URL, so that it can be linked to and survives a reload. */
function useTab(): [Tab, (tab: string | null) => void] {
  const [search] = useSearchParams();
  const [path, navigate] = useLocation();
  const requested = search.get("tab");
  const tab = TABS.find((one) => one === requested) ?? "stats";
  return [tab, (next) => navigate(next === "stats" || next === null ? path : `${path}?tab=${next}`, { replace: true })];
}
