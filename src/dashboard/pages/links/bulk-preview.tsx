/** The first links found in the lines. On a phone each is a card, since the columns do not fit. */
import { ScrollArea, Table, Text } from "@mantine/core";

import table from "../../components/card-table.module.css";
import { bulkCreateTexts as texts } from "../../texts/bulk.ts";
import { type BulkLine, CSV_COLUMNS } from "./bulk-csv.ts";

const PREVIEW_LINES_MAX = 50;

export function BulkPreview({ lines }: { lines: BulkLine[] }) {
  const columns = CSV_COLUMNS.filter((column) => column === "url" || lines.some(({ link }) => link[column]));
  return (
    <section aria-label={texts.preview}>
      <Text size="sm" fw={500} mb={4} role="status">
        {texts.found(lines.length, PREVIEW_LINES_MAX)}
      </Text>
      <ScrollArea.Autosize
        type="auto"
        mah={240}
        viewportProps={{ tabIndex: 0, role: "region", "aria-label": texts.linksFound }}
      >
        <Table withTableBorder striped fz="sm" className={table.table ?? ""}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.line}</Table.Th>
              {columns.map((column) => (
                <Table.Th key={column}>{column}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.slice(0, PREVIEW_LINES_MAX).map(({ number, link }) => (
              <Table.Tr key={number}>
                <Table.Td data-column={texts.line}>{number}</Table.Td>
                {columns.map((column) => (
                  <Table.Td key={column} data-column={column} data-empty={!link[column] || undefined}>
                    <span className={table.cell} title={link[column]}>
                      {link[column]}
                    </span>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
    </section>
  );
}
