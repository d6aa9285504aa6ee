/** The UTM builder of both link forms: its fields are the destination's parameters, read from it and written to it. */
import { Menu, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { Link } from "wouter";

import { utmQuery, utmValue, withUtmValue, withUtmValues } from "../../../core/links/utm-parameters.ts";
import { UTM_PARAMETERS } from "../../../core/visitors/utm.ts";
import { utmTemplatesQuery } from "../../api/account.ts";
import { Hint, SmallButton } from "../../components/buttons.tsx";
import { Loaded } from "../../components/states.tsx";
import { completeUrl } from "../../../core/links/typed-url.ts";
import { icon } from "../../icons.tsx";
import { utmTexts as texts } from "../../texts/link-form.ts";
import classes from "./create-link.module.css";
import { FormSection } from "./form-sections.tsx";

interface UtmSectionProps {
  url: string;
  onChange: (url: string) => void;
}

export function UtmSection({ url, onChange }: UtmSectionProps) {
  const previewId = useId();
  const hasUrl = url.trim() !== "";
  const values = UTM_PARAMETERS.map((parameter) => utmValue(url, parameter)).filter((value) => value !== "");
  return (
    <FormSection title={texts.title} summary={values.join(", ")}>
      <Hint>{hasUrl ? texts.hint : texts.needsUrl}</Hint>
      {hasUrl && <TemplateMenu url={url} onChange={onChange} />}
      <div className={classes.fields}>
        {UTM_PARAMETERS.map((parameter) => (
          <TextInput
            key={parameter}
            label={texts.labels[parameter]}
            placeholder={texts.placeholders[parameter]}
            description={parameter}
            inputWrapperOrder={["label", "input", "description"]}
            disabled={!hasUrl}
            autoComplete="off"
            value={utmValue(url, parameter)}
            onChange={(event) => onChange(withUtmValue(url, parameter, event.currentTarget.value))}
          />
        ))}
      </div>
      {hasUrl && (
        <div>
          <Text size="sm" fw={500} id={previewId} mb={4}>
            {texts.preview}
          </Text>
          <div className={classes.url} role="region" aria-labelledby={previewId} tabIndex={0}>
            {completeUrl(url)}
          </div>
        </div>
      )}
    </FormSection>
  );
}

/**
 * A menu and not a select, whose arrow keys would write every template on the way to the chosen one. It opens once the
 * templates are loaded: the keyboard's focus goes to the first item of that moment.
 */
function TemplateMenu({ url, onChange }: UtmSectionProps) {
  const templates = useQuery({ ...utmTemplatesQuery, refetchOnWindowFocus: "always" });
  return (
    <Menu position="bottom-start" width={320}>
      <Menu.Target>
        <SmallButton w="fit-content" loading={templates.isPending} rightSection={icon("chevron-down", 16)}>
          {texts.useTemplate}
        </SmallButton>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflow: "hidden auto", overflowWrap: "anywhere" }}>
        <Loaded query={templates} skeleton={null}>
          {({ data }) =>
            data.length === 0 ? (
              <Menu.Label>{texts.noTemplates}</Menu.Label>
            ) : (
              data.map((template) => (
                <Menu.Item key={template.id} onClick={() => onChange(withUtmValues(url, template))}>
                  <Text size="sm" lineClamp={2}>
                    {template.name}
                  </Text>
                  <Hint size="xs" lineClamp={2}>
                    {utmQuery(template)}
                  </Hint>
                </Menu.Item>
              ))
            )
          }
        </Loaded>
        <Menu.Divider />
        <Menu.Item
          component={Link}
          to="/settings/utm-templates"
          target="_blank"
          leftSection={icon("external-link", 16)}
        >
          {texts.manageTemplates}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
