/** What stands beside the map of the wall screen: sums of the day, links most clicked, the latest clicks. */
import { formatIn } from "../../formatting/dates.ts";
import { formatCount } from "../../formatting/numbers.ts";
import { wallTexts as texts } from "../../texts/overview.ts";
import type { FeedClick } from "../link/live/feed-clicks.ts";
import { bucketName } from "../link/stats/bucket-names.ts";
import { useNamedLinks } from "../link/stats/link-names.ts";
import { arrivalsIn, type Today } from "./wall-counts.ts";
import classes from "./wall.module.css";

const MINUTE_MS = 60_000;
const LATEST_MAX = 5;

interface WallFiguresProps {
  today: Today;
  /** Of the clicks of the stream, epoch ms. */
  arrivals: readonly number[];
}

export function WallFigures({ today, arrivals }: WallFiguresProps) {
  const { total, countedUpTo, visitors, now } = today;
  const since = total === null ? 0 : arrivalsIn(arrivals, countedUpTo, Infinity);
  return (
    <dl className={classes.figures}>
      <Figure name={texts.today} value={total === null ? null : total + since} testId="wall-today" />
      <Figure name={texts.lastMinute} value={arrivalsIn(arrivals, now - MINUTE_MS, Infinity)} testId="wall-minute" />
      <Figure name={texts.visitors} value={visitors} testId="wall-visitors" />
    </dl>
  );
}

function Figure({ name, value, testId }: { name: string; value: number | null; testId: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd data-testid={testId}>{value === null ? "–" : formatCount(value)}</dd>
    </div>
  );
}

export function TopLinks({ links }: { links: readonly { key: string; clicks: number }[] }) {
  const names = useNamedLinks(links.map(({ key }) => key));
  if (links.length === 0) return null;
  return (
    <section>
      <h2>{texts.topLinks}</h2>
      <ol className={classes.list}>
        {links.map(({ key, clicks }, index) => (
          <li key={key}>
            <span className={classes.name}>{names[index]?.name ?? key}</span>
            <span>{formatCount(clicks)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

export function LatestOnWall({ clicks }: { clicks: readonly FeedClick[] }) {
  return (
    <section>
      <h2>{texts.latest}</h2>
      {clicks.length === 0 && <p className={classes.hint}>{texts.noneYet}</p>}
      <ol className={classes.list}>
        {clicks.slice(0, LATEST_MAX).map((click) => (
          <li key={click.id}>
            <span className={classes.name}>
              {bucketName("country", click.country)}
              {click.link && ` → ${click.link.name}`}
            </span>
            <time dateTime={click.occurredAt}>{formatIn("time", click.occurredAt)}</time>
          </li>
        ))}
      </ol>
    </section>
  );
}
