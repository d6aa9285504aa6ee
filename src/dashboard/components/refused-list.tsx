/** A scrolling list of the first refused items, each with the reason. */
import { Alert, ScrollArea, type ScrollAreaAutosizeProps, Stack, Text } from "@mantine/core";

const SHOWN_MAX = 200;

interface RefusedListProps {
  title: string;
  /** The list's label for screen readers. */
  label?: string;
  color?: "red" | "orange";
  lines: readonly string[];
  /** Says how many more there are. */
  more?: (count: number) => string;
}

export function RefusedList({ title, label = title, color = "red", lines, more }: RefusedListProps) {
  if (lines.length === 0) return null;
  const isLong = more !== undefined && lines.length > SHOWN_MAX;
  const shown = isLong ? [...lines.slice(0, SHOWN_MAX), more(lines.length - SHOWN_MAX)] : lines;
  return (
    <Alert color={color} title={title}>
      <ScrollRegion label={label} mah={240} offsetScrollbars="present">
        <Stack component="ul" gap="xs" m={0} pl="md">
          {shown.map((line, i) => (
            <Text key={i} component="li" size="sm" style={{ overflowWrap: "anywhere" }}>
              {line}
            </Text>
          ))}
        </Stack>
      </ScrollRegion>
    </Alert>
  );
}

/** Content that scrolls, also by keyboard. */
export function ScrollRegion({ label, ...area }: ScrollAreaAutosizeProps & { label: string }) {
  const viewportProps = { tabIndex: 0, role: "region", "aria-label": label };
  return <ScrollArea.Autosize type="auto" viewportProps={viewportProps} {...area} />;
}
