/** UTM builder: its fields are the parameters in the destination, read from it and written to it. */
import { Text, TextInput } from "@mantine/core";
import { useId } from "react";

import { completeUrl } from "../../formatting/typed-url.ts";
import { utmTexts as texts } from "../../texts/link-form.ts";
import { FormSection } from "./form-section.tsx";
import { UTM_PARAMETERS, utmValue, withUtmValue } from "./utm.ts";
import classes from "./create-link.module.css";

export function UtmSection({ url, onChange }: { url: string; onChange: (url: string) => void }) {
  const previewId = useId();
  const hasUrl = url.trim() !== "";
  const values = UTM_PARAMETERS.map((parameter) => utmValue(url, parameter)).filter((value) => value !== "");
  return (
    <FormSection title={texts.title} summary={values.join(", ")}>
      <Text size="sm" c="dimmed">
        {hasUrl ? texts.hint : texts.needsUrl}
      </Text>
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
