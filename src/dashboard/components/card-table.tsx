/** A table whose columns do not fit on a phone: there, rows become cards whose cells show their column's name. */
import { Table, type TableProps } from "@mantine/core";
import type { ReactNode } from "react";

import classes from "./card-table.module.css";

interface Column<Row> {
  name: string;
  /** Right-aligned, on one line. */
  isFigure?: boolean;
  /** Cards omit empty cells. */
  cell: (row: Row) => ReactNode;
}

interface CardTableProps<Row> extends TableProps {
  rows: readonly Row[];
  keyOf: (row: Row, index: number) => string | number;
  /** The first column needs no name. */
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

/** Up to three lines of a text; the title has all of it. */
export function clamped(text: string | undefined): ReactNode {
  return text ? (
    <span className={classes.cell} title={text}>
      {text}
    </span>
  ) : (
    ""
  );
}
