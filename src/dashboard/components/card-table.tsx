/** A table whose rows are cards on a phone, since its columns do not fit: there each cell says the name of its column. */
import { Table, type TableProps } from "@mantine/core";
import type { ReactNode } from "react";

import classes from "./card-table.module.css";

interface Column<Row> {
  name: string;
  /** At the right, in one line. */
  isFigure?: boolean;
  /** Empty: a card leaves it out. */
  cell: (row: Row) => ReactNode;
}

interface CardTableProps<Row> extends TableProps {
  rows: readonly Row[];
  keyOf: (row: Row, index: number) => string | number;
  /** The first one needs no name. */
  columns: readonly Column<Row>[];
}

export function CardTable<Row>({ rows, keyOf, columns, ...table }: CardTableProps<Row>) {
  return (
    <Table className={classes.table ?? ""} {...table}>
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ name, isFigure }) => (
            <Table.Th key={name} data-figure={isFigure}>
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row, rowIndex) => (
          <Table.Tr key={keyOf(row, rowIndex)}>
            {columns.map(({ name, isFigure, cell }, index) => (
              <Table.Td
                key={name}
                data-figure={isFigure}
                data-column={(index > 0 && name) || undefined}
                data-empty={cell(row) === "" || undefined}
              >
                {cell(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Three lines of a text; the whole is in its title. */
export function clamped(text: string | undefined): ReactNode {
  return text ? (
    <span className={classes.cell} title={text}>
      {text}
    </span>
  ) : (
    ""
  );
}
