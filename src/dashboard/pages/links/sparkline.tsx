/** A bar for each day, without axes. Drawn here: the chart library would be most of what this page loads. */
import classes from "./link-list.module.css";

const BAR_WIDTH = 2;
const BAR_STEP = 3;
const HEIGHT = 24;

export function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const bars = values.map((value, day) => {
    const height = value === 0 ? 1 : Math.max(2, (value / most) * HEIGHT);
    return `M${day * BAR_STEP} ${HEIGHT}v${-height}h${BAR_WIDTH}v${height}z`;
  });
  return (
    <svg
      className={classes.sparkline}
      width={values.length * BAR_STEP}
      height={HEIGHT}
      viewBox={`0 0 ${values.length * BAR_STEP} ${HEIGHT}`}
      aria-hidden
    >
      <path d={bars.join("")} />
    </svg>
  );
}
