/**
 * The world map, colored by clicks per country. Loaded lazily, with its shapes. The table beside it has the same
 * figures, including countries too small to be drawn.
 */
import { Tooltip } from "@mantine/core";
import { geoEqualEarth, geoPath } from "d3-geo";
import { useEffect, useRef, useState } from "react";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import atlas from "world-atlas/countries-110m.json";

import type { Stats } from "../../../../core/contract/stats.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { countryFromNumericCode, countryName } from "../visitor-names.ts";
import type { ClickLights } from "../live/follow-clicks.ts";
import countryPoints from "./country-points.json";
import { LevelLegend } from "./heat-map-card.tsx";
import { levelOf, levelStarts } from "./week-heat.ts";
import classes from "./world-map.module.css";

/**
 * Longitude and latitude of a point in each country, for the lights: the middle of its largest part, even if it is too
 * small to be drawn. From Natural Earth (public domain), at 1:50 million.
 */
const COUNTRY_POINTS = countryPoints as unknown as Partial<Record<string, [number, number]>>;

const WIDTH = 960;
const HEIGHT = 440;

const { shapes: COUNTRY_SHAPES, pointOf } = drawnWorld();

function drawnWorld() {
  const world = atlas as unknown as Topology<{ countries: GeometryCollection<{ name: string }> }>;
  const countries = feature(world, world.objects.countries);
  // Antarctica has hardly any visitors, and would take up a quarter of the map.
  const drawn = { ...countries, features: countries.features.filter(({ id }) => id !== "010") };
  const projection = geoEqualEarth().fitSize([WIDTH, HEIGHT], drawn);
  const path = geoPath(projection);
  const shapes = drawn.features.map((country) => {
    const code = country.id === undefined ? null : countryFromNumericCode(String(country.id));
    // Without a code in the atlas, the figures of a country are only in the table.
    return { code, name: code ? countryName(code) : country.properties.name, d: path(country) ?? "" };
  });
  /** Null for a country that is not on the map. */
  const pointOf = (country: string) => {
    const point = COUNTRY_POINTS[country];
    return point ? projection(point) : null;
  };
  return { shapes, pointOf };
}

interface WorldMapProps {
  buckets: Stats["buckets"];
  /** Called when a country is clicked. The table beside the map does the same with the keyboard. */
  onChoose?: (country: string) => void;
  lights: ClickLights;
  /** Seen from afar: with larger lights, and without the legend. */
  isOnWall?: boolean;
}

const LIGHT_RADIUS = { page: 4, wall: 7 };

export default function WorldMap({ buckets, onChoose, lights, isOnWall }: WorldMapProps) {
  const [hovered, setHovered] = useState<(typeof COUNTRY_SHAPES)[number] | null>(null);
  const clicksByCountry = new Map(buckets.map(({ key, clicks }) => [key, clicks]));
  const clicksOf = (code: string | null | undefined) => (code && clicksByCountry.get(code)) || 0;
  const starts = levelStarts(Math.max(0, ...COUNTRY_SHAPES.map(({ code }) => clicksOf(code))));
  return (
    <>
      <Tooltip.Floating
        label={hovered ? `${hovered.name}: ${texts.clickCount(clicksOf(hovered.code))}` : ""}
        disabled={!hovered}
      >
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          className={classes.map}
          role="img"
          aria-label={texts.mapLabel}
          onMouseLeave={() => setHovered(null)}
        >
          {COUNTRY_SHAPES.map((country, index) => (
            <path
              key={index}
              d={country.d}
              className={classes.country}
              data-level={levelOf(clicksOf(country.code), starts)}
              data-country={country.code ?? undefined}
              onMouseEnter={() => setHovered(country)}
              onClick={() => country.code && clicksOf(country.code) > 0 && onChoose?.(country.code)}
            />
          ))}
          <MapLights lights={lights} radius={LIGHT_RADIUS[isOnWall ? "wall" : "page"]} />
        </svg>
      </Tooltip.Floating>
      {!isOnWall && <LevelLegend starts={starts} />}
    </>
  );
}

/** Duration of a light and its animation. */
const LIGHT_MS = 2_400;
/** Limits the lights, however many clicks arrive. */
const LIGHTS_MAX = 60;

interface Light {
  id: number;
  until: number;
  at: [x: number, y: number];
}

/** Lights up the origins of clicks on a map, each for a moment. */
function MapLights({ lights, radius }: { lights: ClickLights; radius: number }) {
  const [shown, setShown] = useState<Light[]>([]);
  const lastId = useRef(0);
  useEffect(() => {
    const show = (countries: readonly string[]) => {
      const until = performance.now() + LIGHT_MS;
      const added = countries.flatMap((country) => {
        const at = pointOf(country);
        return at ? [{ id: ++lastId.current, until, at }] : [];
      });
      if (added.length > 0) setShown((before) => [...before, ...added].slice(-LIGHTS_MAX));
    };
    lights.add(show);
    return () => void lights.delete(show);
  }, [lights]);
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
