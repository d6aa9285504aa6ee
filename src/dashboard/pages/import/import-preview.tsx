/** The first links of the file, with what would become of each. On a phone each is a card. */
import { Alert, Button, ScrollArea, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { useApi } from "../../api/client.ts";
import { domainsQuery, useCaseSetting } from "../../api/domains.ts";
import table from "../../components/card-table.module.css";
import { FormError } from "../../components/form.tsx";
import { readableHost } from "../../formatting/hosts.ts";
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

/** Offers case-sensitive slugs for a domain where the file has slugs that differ in case alone. */
export function CaseCollisions({ domain }: { domain: string }) {
  const { mode } = useApi();
  const { data: domains = [] } = useQuery(domainsQuery(mode));
  const change = useCaseSetting(domains.find((each) => each.domain === domain)?.id ?? "");
  return (
    <Alert color="yellow" title={texts.caseTitle(readableHost(domain))}>
      <Stack align="flex-start" gap="xs">
        <Text size="sm">{texts.caseHint}</Text>
        <FormError error={change.error} />
        <Button size="xs" variant="default" loading={change.isPending} onClick={() => change.mutate(true)}>
          {texts.makeCaseSensitive}
        </Button>
      </Stack>
    </Alert>
  );
}
