/** Tabs of a link's page: statistics, rules, QR codes and history, whose code is loaded on first use. */
import { Skeleton, Tabs } from "@mantine/core";
import { useDeferredValue } from "react";
import { useSearchParams } from "wouter";

import { lazyPart } from "../../components/lazy-part.tsx";
import { withParams } from "../../formatting/search-params.ts";
import { icon } from "../../icons.tsx";
import { linkPageTexts } from "../../texts/link.ts";
import type { LinkWithEtag } from "./use-link.ts";

const SKELETON = <Skeleton height={320} />;
const StatsPanel = lazyPart(() => import("./stats/stats-panel.tsx"), SKELETON, "stats");
const RuleEditor = lazyPart(() => import("./rules/rule-editor.tsx"), SKELETON);
const QrDesigner = lazyPart(() => import("./qr/qr-designer.tsx"), SKELETON);
const HistoryPanel = lazyPart(() => import("./history/history-panel.tsx"), SKELETON);

const TABS = ["stats", "rules", "qr", "history"] as const;

export default function LinkTabs({ current }: { current: LinkWithEtag }) {
  const [tab, setTab] = useTab();
  // Paints the heading or the chosen tab before the panel, which takes longer to render.
  const shownTab = useDeferredValue<typeof tab | null>(tab, null);
  return (
    <Tabs value={tab} onChange={setTab} keepMounted={false}>
      <Tabs.List aria-label={linkPageTexts.tabs}>
        {TABS.map((name) => (
          <Tabs.Tab key={name} px="xs" value={name} leftSection={TAB_ICONS[name]}>
            {name === "rules" ? linkPageTexts.rules(current.link.routing.length) : linkPageTexts.tabNames[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab} pt="md">
        {shownTab === tab ? <TabPanel tab={tab} current={current} /> : SKELETON}
      </Tabs.Panel>
    </Tabs>
  );
}

function TabPanel({ tab, current }: { tab: (typeof TABS)[number]; current: LinkWithEtag }) {
  if (tab === "stats") return <StatsPanel link={current.link} />;
  if (tab === "rules") return <RuleEditor current={current} />;
  if (tab === "qr") return <QrDesigner link={current.link} />;
  return <HistoryPanel current={current} />;
}

const TAB_ICONS = {
  stats: icon("chart-bar", 16),
  rules: icon("arrows-split-2", 16),
  qr: icon("qrcode", 16),
  history: icon("history", 16),
};

/** The tab is part of the URL, so that reload, Back and a copied address open it; other tabs' parameters stay. */
function useTab(): [(typeof TABS)[number], (tab: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const tab = TABS.find((one) => one === search.get("tab")) ?? "stats";
  return [tab, (next) => setSearch((current) => withParams(current, { tab: next === "stats" ? null : next }))];
}
