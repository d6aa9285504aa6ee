/** When the clicks of the stream happened, of the last minutes. */
import { useCallback, useState } from "react";

import { addArrivals } from "./wall-counts.ts";

export function useArrivalTimes(): { times: readonly number[]; add: (added: readonly number[]) => void } {
  const [times, setTimes] = useState<readonly number[]>([]);
  const add = useCallback(
    (added: readonly number[]) => setTimes((before) => addArrivals(before, added, Date.now())),
    [],
  );
  return { times, add };
}
