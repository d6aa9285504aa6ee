/** Dry run of the saved rules: which one a simulated visitor matches, and on which condition the others fail. */
import {
  Alert,
  Badge,
  Button,
  Code,
  Group,
  Paper,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useId } from "react";

import type { Link } from "../../../../core/contract/links.ts";
import type { SimulatedVisitor, Resolution } from "../../../../core/contract/resolutions.ts";
import { ApiError, errorMessage } from "../../../api/api-error.ts";
import { unwrap, useApi } from "../../../api/client.ts";
import { fromDatetimeLocal } from "../../../formatting/datetime-local.ts";
import { SOURCE_OPTIONS } from "../source-names.ts";
import { bucketName } from "../stats/bucket-names.ts";
import { BROWSER_TIME_ZONE } from "../../../formatting/time-zones.ts";
import {
  COMMON_FIELDS,
  OTHER_FIELDS,
  type SimulatedVisitorForm,
  toSimulatedVisitor,
  UNKNOWN_VISITOR,
  type VisitorField,
} from "./simulated-visitor-form.ts";
import classes from "./rules.module.css";

export function DryRun({ link, hasUnsaved }: { link: Link; hasUnsaved: boolean }) {
  const { api } = useApi();
  const titleId = useId();
  const form = useForm<SimulatedVisitorForm>({ initialValues: UNKNOWN_VISITOR });
  const resolve = useMutation({
    mutationFn: (visitor: SimulatedVisitor) =>
      unwrap<Resolution>(api.links[":id"].resolve.$post({ param: { id: link.id }, json: visitor })),
    onError: (error) => error instanceof ApiError && form.setErrors(error.fieldErrors()),
  });
  const submit = (values: SimulatedVisitorForm) =>
    resolve.mutate(toSimulatedVisitor({ ...values, at: fromDatetimeLocal(values.at, BROWSER_TIME_ZONE) }));
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={titleId}>
      <Title order={2} size="h4" id={titleId}>
        Try it
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Make up a visitor and see where the saved rules send them. Nothing is counted.
      </Text>
      {hasUnsaved && (
        <Alert color="yellow" variant="light" mb="sm">
          Your unsaved changes are not part of this. Save first to try them.
        </Alert>
      )}
      <form onSubmit={form.onSubmit(submit)}>
        <Stack gap="xs">
          {COMMON_FIELDS.map(([name, field]) => (
            <FactInput key={name} name={name} field={field} form={form} />
          ))}
          <details>
            <summary className={classes.more}>More about them</summary>
            <Stack gap="xs" mt="xs">
              {OTHER_FIELDS.map(([name, field]) => (
                <FactInput key={name} name={name} field={field} form={form} />
              ))}
              <TextInput
                type="datetime-local"
                label="When"
                description={`On the clocks of ${BROWSER_TIME_ZONE}. Empty: now.`}
                max="9998-12-31T23:59"
                {...form.getInputProps("at")}
              />
              <SegmentedControl aria-label="Source" data={SOURCE_OPTIONS} {...form.getInputProps("source")} />
            </Stack>
          </details>
          <Group>
            <Button type="submit" loading={resolve.isPending}>
              Try this visitor
            </Button>
          </Group>
        </Stack>
      </form>
      <div aria-live="polite">
        {resolve.error && (
          <Alert color="red" variant="light" mt="md">
            {errorMessage(resolve.error)}
          </Alert>
        )}
        {resolve.data && <DryRunResult resolution={resolve.data} />}
      </div>
    </Paper>
  );
}

interface FactInputProps {
  name: keyof SimulatedVisitorForm;
  field: VisitorField;
  form: UseFormReturnType<SimulatedVisitorForm>;
}

function FactInput({ name, field: { label, placeholder, options }, form }: FactInputProps) {
  if (!options) return <TextInput label={label} placeholder={placeholder} {...form.getInputProps(name)} />;
  return (
    <Select
      label={label}
      data={options}
      searchable={options.length > 10}
      limit={300}
      {...form.getInputProps(name)}
      value={form.values[name] || null}
      onChange={(value) => form.setFieldValue(name, value ?? "")}
      placeholder="Unknown"
      clearable
    />
  );
}

function DryRunResult({ resolution: { url, rule, trace, expired } }: { resolution: Resolution }) {
  if (expired || url === null) {
    return (
      <Alert color="gray" variant="light" mt="md" title="Expired">
        This link would be expired: visitors get an error page.
      </Alert>
    );
  }
  return (
    <Stack gap="xs" mt="md" data-testid="outcome">
      <Text size="sm" fw={500} className={classes.outcome}>
        They go to {url}
      </Text>
      <Text size="sm">
        Rule: <Code className={classes.code}>{bucketName("rule", rule ?? "default")}</Code>
      </Text>
      {trace.length > 0 && (
        <ol className={classes.steps} aria-label="Rules that were tried">
          {trace.map(({ rule: text, matched, failed_on }, index) => (
            <li key={index} className={classes.step}>
              <Group gap="xs" justify="space-between" wrap="nowrap">
                <Code className={classes.code}>{text}</Code>
                <Badge variant="light" color={matched ? "green" : "gray"} tt="none" className={classes.verdict}>
                  {matched ? "matched" : `failed on ${failed_on}`}
                </Badge>
              </Group>
            </li>
          ))}
        </ol>
      )}
    </Stack>
  );
}
