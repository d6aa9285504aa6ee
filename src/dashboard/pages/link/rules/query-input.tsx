/** Input of the `query` condition: parameters that must be present, each with any value or one of a list. */
import { Button, Group, Input, Stack, Switch, TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";

import { IconButton } from "../../../components/buttons.tsx";
import { icon } from "../../../icons.tsx";
import { conditionTexts as texts } from "../../../texts/rules.ts";

import { type ConditionFieldProps, DESCRIPTION_BELOW } from "./condition-kinds.ts";
import type { QueryParameterForm } from "./rule-form.ts";

interface QueryInputProps extends ConditionFieldProps {
  value: QueryParameterForm[];
  onChange: (parameters: QueryParameterForm[]) => void;
}

export function QueryInput({ value: parameters, label, error, autoFocus, onChange }: QueryInputProps) {
  /** The parameter that was added last takes the focus. */
  const [added, setAdded] = useState(autoFocus ? 0 : -1);
  const set = (index: number, change: Partial<QueryParameterForm>) =>
    onChange(parameters.map((parameter, at) => (at === index ? { ...parameter, ...change } : parameter)));
  return (
    <Input.Wrapper
      error={error}
      inputWrapperOrder={DESCRIPTION_BELOW}
      description={texts.queryHint}
      role="group"
      aria-label={label}
    >
      <Stack gap="xs" mt={4}>
        {parameters.map((parameter, index) => (
          <Group key={index} gap="xs" align="flex-start" wrap="wrap">
            <TextInput
              autoFocus={index === added}
              aria-label={texts.parameterName(label, index + 1)}
              placeholder={texts.parameterPlaceholder}
              w={160}
              value={parameter.name}
              onChange={(event) => set(index, { name: event.currentTarget.value })}
            />
            <Switch
              mt={8}
              label={texts.anyValue}
              aria-label={texts.parameterAnyValue(label, index + 1)}
              checked={parameter.any}
              onChange={(event) => set(index, { any: event.currentTarget.checked })}
            />
            {!parameter.any && (
              <TagsInput
                aria-label={texts.parameterValues(label, index + 1)}
                placeholder={parameter.values.length === 0 ? texts.parameterValuesPlaceholder : ""}
                style={{ flex: "1 1 180px" }}
                acceptValueOnBlur
                value={parameter.values}
                onChange={(values) => set(index, { values })}
              />
            )}
            <IconButton
              mt={4}
              label={texts.removeParameter(label, index + 1)}
              sign={icon("x", 16)}
              onClick={() => onChange(parameters.toSpliced(index, 1))}
            />
          </Group>
        ))}
        <Group>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={icon("plus", 14)}
            aria-label={texts.addParameter(label)}
            onClick={() => {
              setAdded(parameters.length);
              onChange([...parameters, { name: "", any: true, values: [] }]);
            }}
          >
            {texts.addParameterShort}
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}
