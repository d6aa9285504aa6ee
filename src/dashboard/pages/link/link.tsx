/** Page of one link, with tabs for statistics, rules, QR codes and history. A tab's code is loaded when it is first opened. */
import { Button, Skeleton, Tabs } from "@mantine/core";
import { useDeferredValue } from "react";
import { Link as RouterLink, useSearchParams } from "wouter";

import { ApiError } from "../../api/api-error.ts";
import { lazyPart } from "../../components/lazy-part.tsx";
import { Page } from "../../components/page.tsx";
import { EmptyState, ErrorState, PageSkeleton } from "../../components/states.tsx";
import { linkName } from "../../formatting/hosts.ts";
import { IconArrowsSplit2, IconChartBar, IconHistory, IconLinkOff, IconQrcode } from "../../icons.tsx";
import { linkPageTexts as texts } from "../../texts/link.ts";
import { LinkActions, LinkHeadingTools, LinkSummary } from "./link-header.tsx";
import { type LinkWithEtag, useLink } from "./use-link.ts";

const SKELETON = <Skeleton height={320} />;
const StatsPanel = lazyPart(() => import("./stats/stats-panel.tsx"), SKELETON, "stats");
const RuleEditor = lazyPart(() => import("./rules/rule-editor.tsx"), SKELETON);
const QrDesigner = lazyPart(() => import("./qr/qr-designer.tsx"), SKELETON);
const HistoryPanel = lazyPart(() => import("./history/history-panel.tsx"), SKELETON);

const TABS = ["stats", "rules", "qr", "history"] as const;
type Tab = (typeof TABS)[number];

export default function LinkDetails({ id }: { id: string }) {
  const { data, error, refetch } = useLink(id);
  const isGone = error instanceof ApiError && error.status === 404;
  // The key resets the state of the page when another link is opened.
  if (data && !isGone) return <LinkPage key={id} current={data} />;
  if (!error) return <PageSkeleton />;
  return (
    <Page title={texts.title}>
      {isGone ? (
        <EmptyState
          icon={<IconLinkOff aria-hidden />}
          title={texts.notFound}
          action={
            <Button component={RouterLink} to="/links" variant="default">
              {texts.allLinks}
            </Button>
          }
        >
          {texts.notFoundHint}
        </EmptyState>
      ) : (
        <ErrorState error={error} retry={() => void refetch()} />
      )}
    </Page>
  );
}

function LinkPage({ current }: { current: LinkWithEtag }) {
  const [tab, setTab] = useTab();
  const { link } = current;
  // The heading is painted before the panel, which takes longer to render.
  const showsPanel = useDeferredValue(true, false);
  return (
    <Page
      title={linkName(link)}
      beside={<LinkHeadingTools link={link} />}
      description={<LinkSummary link={link} />}
      actions={<LinkActions current={current} />}
    >
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List aria-label={texts.tabs}>
          <Tabs.Tab px="xs" value="stats" leftSection={<IconChartBar size={16} aria-hidden />}>
            {texts.statistics}
          </Tabs.Tab>
          <Tabs.Tab px="xs" value="rules" leftSection={<IconArrowsSplit2 size={16} aria-hidden />}>
            {texts.rules(link.routing.length)}
          </Tabs.Tab>
          <Tabs.Tab px="xs" value="qr" leftSection={<IconQrcode size={16} aria-hidden />}>
            {texts.qrCode}
          </Tabs.Tab>
          <Tabs.Tab px="xs" value="history" leftSection={<IconHistory size={16} aria-hidden />}>
            {texts.history}
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="stats" pt="md">
          {showsPanel ? <StatsPanel link={link} /> : SKELETON}
        </Tabs.Panel>
        <Tabs.Panel value="rules" pt="md">
          <RuleEditor current={current} />
        </Tabs.Panel>
        <Tabs.Panel value="qr" pt="md">
          <QrDesigner link={link} />
        </Tabs.Panel>
        <Tabs.Panel value="history" pt="md">
          <HistoryPanel current={current} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

/** The tab is part of the URL, so that reload, Back and a copied address open it; the other tabs' parameters stay. */
function useTab(): [Tab, (tab: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const requested = search.get("tab");
  const tab = TABS.find((one) => one === requested) ?? "stats";
  const setTab = (next: string | null) =>
    setSearch((current) => {
      const changed = new URLSearchParams(current);
      if (next === null || next === "stats") changed.delete("tab");
      else changed.set("tab", next);
      return changed;
    });
  return [tab, setTab];
}
