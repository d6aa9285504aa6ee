/** Lights on a map where clicks come from, each for a moment. */
import { useEffect, useRef, useState } from "react";

import type { ClickLights } from "./click-lights.ts";
import classes from "./map-lights.module.css";

/** Of a light, and of its animation. */
const LIGHT_MS = 2_400;
/** However many clicks come. */
const LIGHTS_MAX = 60;

interface Light {
  id: number;
  until: number;
  at: [x: number, y: number];
}

interface MapLightsProps {
  lights: ClickLights;
  /** Where a country is on the map; null where it is nowhere. */
  pointOf: (country: string) => [x: number, y: number] | null;
  radius: number;
}

export function MapLights({ lights, pointOf, radius }: MapLightsProps) {
  const [shown, setShown] = useState<Light[]>([]);
  const lastId = useRef(0);
  useEffect(
    () =>
      lights.subscribe((countries) => {
        const until = performance.now() + LIGHT_MS;
        const added = countries.flatMap((country) => {
          const at = pointOf(country);
          return at ? [{ id: ++lastId.current, until, at }] : [];
        });
        if (added.length > 0) setShown((before) => [...before, ...added].slice(-LIGHTS_MAX));
      }),
    [lights, pointOf],
  );
  const next = shown[0]?.until;
  useEffect(() => {
    if (next === undefined) return;
    const timer = setTimeout(
      () => setShown((before) => before.filter(({ until }) => until > performance.now())),
      Math.max(0, next - performance.now()) + 1,
    );
    return () => clearTimeout(timer);
  }, [next]);
  return (
    <g aria-hidden className={classes.lights}>
      {shown.map(({ id, at: [x, y] }) => (
        <g key={id} transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}>
          <circle r={radius * 4} className={classes.wave} />
          <circle r={radius} className={classes.light} />
        </g>
      ))}
    </g>
  );
}
