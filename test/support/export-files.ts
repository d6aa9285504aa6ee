/** Export files of other services with any number of links, in the format of each. */
import type { FormatName } from "../../src/core/imports/services.ts";

const CREATED_AT = "2024-03-01T09:00:00.000Z";

/** @param mark  begins every slug */
export function exportFile(format: FormatName, count: number, mark: string): string {
  return FILES[format](Array.from({ length: count }, (_, i) => ({ slug: `${mark}-${i}`, number: i })));
}

interface Sample {
  slug: string;
  number: number;
}

const urlOf = ({ number }: Sample) => `https://example.com/pages/${number}?ref=a,b`;

const FILES: Record<FormatName, (links: Sample[]) => string> = {
  dub: (links) =>
    JSON.stringify(
      links.map((link) => ({
        id: `link_${link.number}`,
        domain: "go.example.com",
        key: link.slug,
        shortLink: `https://go.example.com/${link.slug}`,
        url: urlOf(link),
        title: `Link ${link.number}`,
        ios: link.number % 10 === 0 ? "https://example.com/ios" : null,
        geo: link.number % 7 === 0 ? { DE: "https://example.com/de" } : null,
        tags: [{ id: "tag_1", name: `group ${link.number % 5}` }],
        clicks: link.number,
        createdAt: CREATED_AT,
      })),
    ),
  bitly: (links) =>
    csv(
      ["Title", "Link", "Custom Link", "Destination URL", "Date Created", "Tags", "Engagements"],
      links.map((link) => [
        `Link, "${link.number}"`,
        `go.example.com/${link.slug}`,
        "",
        urlOf(link),
        CREATED_AT,
        "one|two",
        String(link.number),
      ]),
    ),
  "short-io": (links) =>
    csv(
      ["Original URL", "Path", "Title", "Tags", "Created at", "Expires at", "iPhone URL"],
      links.map((link) => [
        urlOf(link),
        link.slug,
        `Link ${link.number}`,
        "one,two",
        "1709283600000",
        link.number % 3 === 0 ? "4070908800000" : "",
        link.number % 10 === 0 ? "https://example.com/ios" : "",
      ]),
    ),
  kutt: (links) =>
    JSON.stringify({
      total: links.length,
      data: links.map((link) => ({
        id: `id-${link.number}`,
        address: link.slug,
        banned: false,
        description: link.number % 2 === 0 ? `Link\n${link.number}` : null,
        expire_in: link.number % 3 === 0 ? "2099-01-01T00:00:00.000Z" : null,
        link: `https://go.example.com/${link.slug}`,
        password: false,
        target: urlOf(link),
        visit_count: link.number,
        created_at: CREATED_AT,
      })),
    }),
  sink: (links) =>
    JSON.stringify({
      version: "1.0",
      count: links.length,
      links: links.map((link) => ({
        id: `id${link.number}`,
        url: urlOf(link),
        slug: link.slug,
        comment: `Link ${link.number}`,
        createdAt: 1_709_283_600,
        updatedAt: 1_709_283_600,
        tags: ["one"],
        redirectWithQuery: link.number % 2 === 0,
        ...(link.number % 3 === 0 ? { expiration: 4_070_908_800 } : {}),
      })),
    }),
  shlink: (links) =>
    csv(
      ["createdAt", "domain", "shortCode", "shortUrl", "longUrl", "title", "tags", "visits"],
      links.map((link) => [
        CREATED_AT,
        "go.example.com",
        link.slug,
        `https://go.example.com/${link.slug}`,
        urlOf(link),
        `Link\r\n${link.number}`,
        "one|two",
        String(link.number),
      ]),
    ),
  yourls: (links) =>
    `CREATE TABLE \`yourls_url\` (\`keyword\` varchar(100));\nINSERT INTO \`yourls_url\` VALUES ${links
      .map((link) => `('${link.slug}','${urlOf(link)}','It\\'s ${link.number}','2024-03-01 09:00:00','192.0.2.1',3)`)
      .join(",")};\n`,
  rebrandly: (links) =>
    JSON.stringify(
      links.map((link) => ({
        id: `id${link.number}`,
        title: `Link ${link.number}`,
        slashtag: link.slug,
        destination: urlOf(link),
        shortUrl: `go.example.com/${link.slug}`,
        domain: { id: "domain1", fullName: "go.example.com" },
        createdAt: CREATED_AT,
        clicks: link.number,
        favourite: false,
      })),
    ),
};

function csv(header: string[], rows: string[][]): string {
  const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [header, ...rows].map((cells) => cells.map(cell).join(",")).join("\r\n");
}

/** @param counts  clicks of each link of `exportFile`, by number. They are in no order. */
export function clickFile(format: FormatName, mark: string, counts: readonly number[]): string {
  const clicks = counts.flatMap((count, number) =>
    Array.from({ length: count }, (_, i): SampleClick => {
      const at = Date.parse(CREATED_AT) + ((i * 7_919) % count) * 60_000;
      return { slug: `${mark}-${number}`, at: new Date(at).toISOString(), country: i % 3 === 0 ? "DE" : "US" };
    }),
  );
  return CLICK_FILES[format]?.(clicks) ?? "";
}

interface SampleClick {
  slug: string;
  at: string;
  country: string;
}

const AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0";

const CLICK_FILES: Partial<Record<FormatName, (clicks: SampleClick[]) => string>> = {
  dub: (clicks) =>
    JSON.stringify(
      clicks.map(({ slug, at, country }) => ({
        event: "click",
        timestamp: at,
        click: {
          id: "click_1",
          timestamp: at,
          country,
          city: "Unknown",
          device: "Desktop",
          browser: "Chrome",
          os: "Linux",
        },
        link: { id: "link_1", domain: "go.example.com", key: slug, shortLink: `https://go.example.com/${slug}` },
      })),
    ),
  "short-io": (clicks) =>
    JSON.stringify(
      clicks.map(({ slug, at, country }) => ({
        host: "go.example.com",
        path: `/${slug}`,
        dt: at,
        ua: AGENT,
        human: true,
        country,
      })),
    ),
  sink: (clicks) =>
    JSON.stringify(
      clicks.map(({ slug, at, country }) => ({
        slug,
        ua: AGENT,
        referer: "",
        country,
        timestamp: Date.parse(at) / 1_000,
      })),
    ),
  shlink: (clicks) =>
    clicks
      .map(({ slug, at, country }) =>
        JSON.stringify({
          referer: "",
          date: at.replace(".000Z", "+00:00"),
          userAgent: AGENT,
          visitLocation: { countryCode: country, cityName: "" },
          potentialBot: false,
          visitedUrl: `https://go.example.com/${slug}`,
        }),
      )
      .join("\n"),
  yourls: (clicks) =>
    `INSERT INTO \`yourls_log\` VALUES ${clicks
      .map(
        ({ slug, at, country }, i) =>
          `(${i + 1},'${at.slice(0, 19).replace("T", " ")}','${slug}','direct','${AGENT}','192.0.2.1','${country}')`,
      )
      .join(",")};\n`,
};
