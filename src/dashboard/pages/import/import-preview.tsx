/** The first links of the file, with what would become of each. On a phone each is a card. */
import { ScrollArea, Table, Text } from "@mantine/core";

import table from "../../components/card-table.module.css";
import { formatCount } from "../../formatting/numbers.ts";
import { importTexts as texts } from "../../texts/import.ts";
import type { Preview, PreviewRow } from "./import-messages.ts";
import classes from "./import.module.css";

export function ImportPreview({ preview, unit }: { preview: Preview; unit: "line" | "entry" }) {
  const { rows, ready, refused } = preview;
  const state = texts.previewState(ready, formatCount(ready), refused, formatCount(refused));
  return (
    <section aria-label={texts.preview}>
      <Text size="sm" fw={500} mb={4} role="status">
        {state}. {ready + refused > rows.length && texts.firstShown(rows.length, refused > 0)}
      </Text>
      <ScrollArea.Autosize
        type="auto"
        mah={360}
        viewportProps={{ tabIndex: 0, role: "region", "aria-label": texts.preview }}
      >
        <Table withTableBorder striped fz="sm" className={table.table ?? ""}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.place[unit]}</Table.Th>
              <Table.Th>{texts.source}</Table.Th>
              <Table.Th>{texts.target}</Table.Th>
              <Table.Th>{texts.destination}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row, i) => (
              <Row key={i} row={row} unit={unit} />
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
    </section>
  );
}

function Row({ row: { at, source, target, url, problem }, unit }: { row: PreviewRow; unit: "line" | "entry" }) {
  return (
    <Table.Tr>
      <Table.Td data-column={texts.place[unit]}>{at}</Table.Td>
      <Cell column={texts.source} text={source} />
      {problem === "" ? (
        <>
          <Cell column={texts.target} text={target} />
          <Cell column={texts.destination} text={url} />
        </>
      ) : (
        <Table.Td colSpan={2} className={classes.problem ?? ""}>
          {problem}
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function Cell({ column, text }: { column: string; text: string }) {
  return (
    <Table.Td data-column={column}>
      <span className={table.cell} title={text}>
        {text}
      </span>
    </Table.Td>
  );
}
