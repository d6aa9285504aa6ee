/** What the dashboard shows of a destination, which the service has looked at: its title, text, and picture. */
import { z } from "zod";

import { Destination } from "./destinations.ts";

export const PreviewRequest = z.strictObject({ url: Destination });

const Text = z.string().nullable();

/** As social networks read it: Open Graph, else the page's own title and description. Null where the page has none. */
export const Preview = z.strictObject({
  title: Text,
  description: Text,
  site_name: Text,
  /** The address of the page's picture, to be shown through `previews/image`. */
  image: Text,
});
export type Preview = z.infer<typeof Preview>;

export const PreviewImageQuery = z.strictObject({ url: Destination });
