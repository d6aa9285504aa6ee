/** Search as you type, and filters by domain, status and order. */
import { CloseButton, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";

import { useActiveDomainNames } from "../../api/domains.ts";
import classes from "./filter-bar.module.css";
import { type LinkFilters, SEARCH_MAX_CHARS } from "./filters.ts";

const SEARCH_DELAY_MS = 300;

export function FilterBar({ filters, onChange }: { filters: LinkFilters; onChange: (filters: LinkFilters) => void }) {
  const [text, setText] = useState(filters.search ?? "");
  const domains = useActiveDomainNames();
  const { search: _, ...filtersWithoutSearch } = filters;
  const applySearch = (value: string) =>
    onChange(value.trim() ? { ...filtersWithoutSearch, search: value.trim() } : filtersWithoutSearch);
  const applySearchDebounced = useDebouncedCallback(applySearch, SEARCH_DELAY_MS);
  const changeText = (value: string) => {
    setText(value);
    applySearchDebounced(value);
  };
  const chooseFilter = (name: "domain" | "status", value: string) => {
    const { [name]: _before, ...rest } = filters;
    onChange(value ? ({ ...rest, [name]: value } as LinkFilters) : rest);
  };

  return (
    <search className={classes.bar}>
      <TextInput
        className={classes.search}
        aria-label="Search links"
        placeholder="Search slug or destination"
        maxLength={SEARCH_MAX_CHARS}
        leftSection={<IconSearch size={18} aria-hidden />}
        rightSection={text && <CloseButton size="sm" aria-label="Clear search" onClick={() => changeText("")} />}
        value={text}
        onChange={(event) => changeText(event.currentTarget.value)}
      />
      <NativeSelect
        aria-label="Domain"
        value={filters.domain ?? ""}
        onChange={(event) => chooseFilter("domain", event.currentTarget.value)}
        data={[
          { value: "", label: "All domains" },
          ...[...new Set([...(filters.domain ? [filters.domain] : []), ...domains])].map((name) => ({
            value: name,
            label: name,
          })),
        ]}
      />
      <NativeSelect
        aria-label="Status"
        value={filters.status ?? ""}
        onChange={(event) => chooseFilter("status", event.currentTarget.value)}
        data={[
          { value: "", label: "Any status" },
          { value: "active", label: "Active" },
          { value: "expired", label: "Expired" },
        ]}
      />
      <NativeSelect
        aria-label="Order"
        value={filters.sort}
        onChange={(event) =>
          onChange({ ...filters, sort: event.currentTarget.value === "created_at" ? "created_at" : "-created_at" })
        }
        data={[
          { value: "-created_at", label: "Newest first" },
          { value: "created_at", label: "Oldest first" },
        ]}
      />
    </search>
  );
}
