/** Input of the `query` condition: parameters that must be present, each with any value or one of a list. */
import { ActionIcon, Group, Input, Stack, Switch, TagsInput, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";

import { DESCRIPTION_BELOW, type ConditionFieldProps } from "./condition-field.ts";
import type { QueryParameterForm } from "./rule-form.ts";

interface QueryInputProps extends ConditionFieldProps {
  parameters: QueryParameterForm[];
  onChange: (parameters: QueryParameterForm[]) => void;
}

export function QueryInput({ parameters, label, error, onChange }: QueryInputProps) {
  const set = (index: number, change: Partial<QueryParameterForm>) =>
    onChange(parameters.map((parameter, at) => (at === index ? { ...parameter, ...change } : parameter)));
  return (
    <Input.Wrapper
      error={error}
      inputWrapperOrder={DESCRIPTION_BELOW}
      description="Each must be there, with this value or with any."
      role="group"
      aria-label={label}
    >
      <Stack gap="xs" mt={4}>
        {parameters.map((parameter, index) => (
          <Group key={index} gap="xs" align="flex-start" wrap="wrap">
            <TextInput
              aria-label={`${label}, name ${index + 1}`}
              placeholder="utm_source"
              w={160}
              value={parameter.name}
              onChange={(event) => set(index, { name: event.currentTarget.value })}
            />
            <Switch
              mt={8}
              label="any value"
              aria-label={`${label}, name ${index + 1}, any value`}
              checked={parameter.any}
              onChange={(event) => set(index, { any: event.currentTarget.checked })}
            />
            {!parameter.any && (
              <TagsInput
                aria-label={`${label}, values of name ${index + 1}`}
                placeholder={parameter.values.length === 0 ? "One of …" : ""}
                style={{ flex: "1 1 180px" }}
                acceptValueOnBlur
                value={parameter.values}
                onChange={(values) => set(index, { values })}
              />
            )}
            <ActionIcon
              variant="subtle"
              color="gray"
              mt={4}
              aria-label={`Remove parameter ${index + 1}`}
              onClick={() => onChange(parameters.toSpliced(index, 1))}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <ActionIcon
            variant="default"
            aria-label={`${label}: add a parameter`}
            onClick={() => onChange([...parameters, { name: "", any: true, values: [] }])}
          >
            <IconPlus size={16} aria-hidden />
          </ActionIcon>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}
