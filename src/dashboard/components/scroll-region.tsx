/** Content that scrolls, also by keyboard. */
import { ScrollArea, type ScrollAreaAutosizeProps } from "@mantine/core";

export function ScrollRegion({ label, ...area }: ScrollAreaAutosizeProps & { label: string }) {
  const viewportProps = { tabIndex: 0, role: "region", "aria-label": label };
  return <ScrollArea.Autosize type="auto" viewportProps={viewportProps} {...area} />;
}
