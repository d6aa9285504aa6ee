/** Page of one link, with tabs for statistics, rules, QR codes and history. A tab's code is loaded when it is first opened. */
import { Skeleton, Tabs } from "@mantine/core";
import { useDeferredValue } from "react";
import { useSearchParams } from "wouter";

import { ApiError } from "../../api/api-error.ts";
import { lazyPart } from "../../components/lazy-part.tsx";
import { Page } from "../../components/page.tsx";
import { EmptyState, ErrorState, PageSkeleton } from "../../components/states.tsx";
import { withParams } from "../../formatting/search-params.ts";
import { linkName } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { linkPageTexts as texts } from "../../texts/link.ts";
import { LinkActions, LinkHeadingTools, LinkSummary } from "./link-header.tsx";
import { type LinkWithEtag, useLink } from "./use-link.ts";

const SKELETON = <Skeleton height={320} />;
const StatsPanel = lazyPart(() => import("./stats/stats-panel.tsx"), SKELETON, "stats");
const RuleEditor = lazyPart(() => import("./rules/rule-editor.tsx"), SKELETON);
const QrDesigner = lazyPart(() => import("./qr/qr-designer.tsx"), SKELETON);
const HistoryPanel = lazyPart(() => import("./history/history-panel.tsx"), SKELETON);

const TABS = ["stats", "rules", "qr", "history"] as const;

export default function LinkDetails({ id }: { id: string }) {
  const { data, error, refetch } = useLink(id);
  const isGone = error instanceof ApiError && error.status === 404;
  // The key resets the state of the page when another link is opened.
  if (data && !isGone) return <LinkPage key={id} current={data} />;
  if (!error) return <PageSkeleton />;
  return (
    <Page title={texts.title}>
      {isGone ? (
        <EmptyState icon={icon("link-off")} title={texts.notFound} action={texts.allLinks} to="/links">
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
          {TABS.map((name) => (
            <Tabs.Tab key={name} px="xs" value={name} leftSection={TAB_ICONS[name]}>
              {name === "rules" ? texts.rules(link.routing.length) : texts.tabNames[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} pt="md">
          {tab === "stats" && (showsPanel ? <StatsPanel link={link} /> : SKELETON)}
          {tab === "rules" && <RuleEditor current={current} />}
          {tab === "qr" && <QrDesigner link={link} />}
          {tab === "history" && <HistoryPanel current={current} />}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

const TAB_ICONS = {
  stats: icon("chart-bar", 16),
  rules: icon("arrows-split-2", 16),
  qr: icon("qrcode", 16),
  history: icon("history", 16),
};

/** The tab is part of the URL, so that reload, Back and a copied address open it; the other tabs' parameters stay. */
function useTab(): [(typeof TABS)[number], (tab: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const tab = TABS.find((one) => one === search.get("tab")) ?? "stats";
  return [tab, (next) => setSearch((current) => withParams(current, { tab: next === "stats" ? null : next }))];
}
