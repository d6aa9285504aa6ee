/** The hop from the short URL to its destination, and the arriving visitors that trigger it. */
import { useEffect, useState } from "react";

import classes from "./hop.module.css";

const arrivals = new EventTarget();

export function announceArrival(linkId: string): void {
  arrivals.dispatchEvent(new Event(linkId));
}

/** Duration of the animation in hop.module.css. */
const HOP_MS = 700;

/**
 * The hop from the short URL to its destination: an arc, along which a dot jumps with each new visitor, unless another
 * one is on its way.
 */
export function Hop({ linkId }: { linkId: string }) {
  const [count, setCount] = useState(0);
  useEffect(() => {
    let lastAt = -Infinity;
    const onArrival = ({ timeStamp }: Event) => {
      if (timeStamp - lastAt < HOP_MS) return;
      lastAt = timeStamp;
      setCount((before) => before + 1);
    };
    arrivals.addEventListener(linkId, onArrival);
    return () => arrivals.removeEventListener(linkId, onArrival);
  }, [linkId]);
  return (
    <svg className={classes.hop} viewBox="0 0 44 20" width={44} height={20} aria-hidden data-arrivals={count}>
      <circle cx="4" cy="16" r="2.5" className={classes.start} />
      <path d="M4 16C8 4 30 1 38 13" className={classes.arc} />
      <path d="m33.5 11 5 3 1.5-6" className={classes.head} />
      {/* The key restarts the animation. */}
      {count > 0 && <circle key={count} r="3.5" className={classes.visitor} />}
    </svg>
  );
}
