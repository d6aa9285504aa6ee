/**
 * The page of shared statistics, without the dashboard's application: it requests the statistics of the token in its
 * address, and nothing else. Texts become text nodes.
 */
import { type Interval, OTHER_KEY } from "../../../core/clicks/counting/groupings.ts";
import type { SharedStats } from "../../../core/contract/dashboard.ts";
import { formatIn } from "../../formatting/dates.ts";
import { formatCount, formatShare } from "../../formatting/numbers.ts";
import { sharedPageTexts as texts } from "../../texts/share.ts";
import { bucketName, groupingName } from "../link/stats/bucket-names.ts";
import { binLabel, binTitle } from "../link/stats/time-range.ts";

const root = document.querySelector("#root");
const token = location.pathname.split("/")[2] ?? "";

void load();

async function load(): Promise<void> {
  root?.replaceChildren(element("p", {}, texts.loading));
  const response = await fetch(`/dashboard/api/shared/${encodeURIComponent(token)}`).catch(() => null);
  const body = (await response?.json().catch(() => null)) as SharedStats | { error?: { message?: string } } | null;
  if (response?.ok && body && "series" in body) return show(body);
  if (response?.status === 404) return showMessage(texts.notShared, texts.notSharedHint, null);
  const reason = body && "error" in body ? body.error?.message : undefined;
  const hint = response?.status === 429 ? texts.busy : (reason ?? texts.unreachable);
  showMessage(texts.failed, hint, element("button", { onclick: () => void load() }, texts.retry));
}

type Child = Node | string;

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.replaceChildren(...children);
  return made;
}

function showMessage(title: string, hint: string, action: HTMLElement | null): void {
  document.title = title;
  const content = [element("h1", {}, title), element("p", {}, hint), ...(action ? [action] : [])];
  root?.replaceChildren(element("section", { className: "wide" }, ...content));
}

function show(stats: SharedStats): void {
  document.title = stats.name;
  root?.replaceChildren(
    element("header", { className: "wide" }, element("h1", {}, stats.name), element("p", {}, rangeText(stats))),
    seriesSection(stats),
    ...stats.groups.map(groupSection),
    ...(stats.groups.length > 0 ? [element("footer", { className: "wide" }, ...groupNotes(stats))] : []),
  );
}

function rangeText({ from, last, timezone }: SharedStats): string {
  const first = formatIn("date", from, timezone);
  return last === null ? texts.since(first, timezone) : texts.days(first, formatIn("date", last, "UTC"), timezone);
}

function groupNotes({ groups_until, timezone }: SharedStats): HTMLElement[] {
  const until =
    groups_until === null ? texts.groupsLater : texts.groupsUntil(formatIn("dateTimeToMinute", groups_until, timezone));
  return [element("p", {}, until), element("p", {}, texts.small)];
}

function seriesSection({ total, series, interval, timezone }: SharedStats): HTMLElement {
  const by = interval as Interval;
  const max = Math.max(1, ...series.map(({ clicks }) => clicks));
  const title = texts.chart[by] ?? texts.clicks;
  const bars = series.map(({ start, clicks }) => {
    const bar = element("div", { title: `${binTitle(start, by, timezone)}: ${texts.total(clicks)}` });
    bar.style.height = `${(100 * clicks) / max}%`;
    return bar;
  });
  const label = { role: "img", ariaLabel: `${title}: ${texts.total(total)}` };
  const ends = series.length > 1 ? [series.at(0), series.at(-1)] : series;
  const labels = ends.map((bin) => element("span", {}, bin ? binLabel(bin.start, by, timezone) : ""));
  const rows = series.map(({ start, clicks }) => [binTitle(start, by, timezone), formatCount(clicks)]);
  return element(
    "section",
    { className: "wide" },
    element("h2", {}, title),
    element("p", { className: "total" }, texts.total(total)),
    element("div", { className: "chart", ...label }, ...bars),
    element("div", { className: "axis", ariaHidden: "true" }, ...labels),
    element(
      "details",
      {},
      element("summary", {}, texts.table),
      element("div", { tabIndex: 0, role: "region", ariaLabel: title }, tableOf([texts.start, texts.clicks], rows)),
    ),
  );
}

function groupSection({ group_by, buckets }: SharedStats["groups"][number]): HTMLElement {
  const total = buckets.reduce((sum, { clicks }) => sum + clicks, 0);
  const max = Math.max(1, ...buckets.map(({ clicks }) => clicks));
  const rows = buckets.map(({ key, clicks }) => [
    key === OTHER_KEY ? texts.others : bucketName(group_by, key),
    formatCount(clicks),
    formatShare(clicks / total),
  ]);
  const name = groupingName(group_by);
  const parts = buckets.map(({ clicks }) => `${(100 * clicks) / max}%`);
  return element(
    "section",
    {},
    element("h2", {}, name),
    buckets.length > 0 ? tableOf([name, texts.clicks, texts.share], rows, parts) : element("p", {}, texts.groupsLater),
  );
}

/** @param parts  lengths of bars behind the first cells */
function tableOf(names: readonly string[], rows: readonly string[][], parts: readonly string[] = []): HTMLElement {
  const classOf = (column: number) => ({ className: column === 0 ? "" : "figure" });
  const body = rows.map((row, i) => {
    const cells = row.map((text, column) => element("td", classOf(column), text));
    const part = parts[i];
    if (part !== undefined && cells[0]) {
      cells[0].className = "bar";
      cells[0].style.setProperty("--part", part);
    }
    return element("tr", {}, ...cells);
  });
  const heads = names.map((name, column) => element("th", { ...classOf(column), scope: "col" }, name));
  return element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...body));
}
