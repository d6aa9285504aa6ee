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
      ["Title", "Link", "Custom Link", "Destination URL", "Date Created", "Tags"],
      links.map((link) => [
        `Link, "${link.number}"`,
        `go.example.com/${link.slug}`,
        "",
        urlOf(link),
        CREATED_AT,
        "one|two",
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
