/** Node 20 has no `URL.parse`, which the schemas of links use. */
const Url: { parse?: typeof URL.parse } = URL;

Url.parse ??= (text, base) => (URL.canParse(text, base) ? new URL(text, base) : null);
