/** Tells the header of a link's page that visitors are being redirected right now. */
import { useEffect, useState } from "react";

const arrivals = new EventTarget();

export function announceArrival(linkId: string): void {
  arrivals.dispatchEvent(new Event(linkId));
}

/** The number of arrivals since the component was mounted; those within `restMs` of one count as that one. */
export function useArrivals(linkId: string, restMs: number): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    let lastAt = -Infinity;
    const onArrival = ({ timeStamp }: Event) => {
      if (timeStamp - lastAt < restMs) return;
      lastAt = timeStamp;
      setCount((before) => before + 1);
    };
    arrivals.addEventListener(linkId, onArrival);
    return () => arrivals.removeEventListener(linkId, onArrival);
  }, [linkId, restMs]);
  return count;
}
