/** Mantine's theme. Texts have a contrast of 4.5:1 in both color schemes, which Mantine's defaults do not. */
import {
  createTheme,
  type CSSVariablesResolver,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type MantineTheme,
  type VariantColorsResolver,
} from "@mantine/core";

/** The green of hops; text on it is white. */
const brand: MantineColorsTuple = [
  "#e7f6ef",
  "#cfebde",
  "#a3d9c0",
  "#71c49f",
  "#45b083",
  "#239b6e",
  "#12865c",
  "#08704c",
  "#045a3d",
  "#02452e",
];

/** Grays with a hint of the brand's green, so that pages look calm, not cold. */
const gray: MantineColorsTuple = [
  "#f6f8f5",
  "#edf1ed",
  "#e2e8e3",
  "#d3dbd5",
  "#c2ccc5",
  "#a2aea6",
  "#7a877f",
  "#515d56",
  "#36403a",
  "#1e2622",
];

const dark: MantineColorsTuple = [
  "#d9e0dc",
  "#b4c0ba",
  "#8d9a94",
  "#62706a",
  "#3c4843",
  "#2d3833",
  "#212a26",
  "#18201d",
  "#111815",
  "#0a0f0d",
];

/** In the `light` variant, colored text on its tinted background has too little contrast: mixes in the text color. */
const readableVariantColors: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  return input.variant === "light"
    ? { ...colors, color: `color-mix(in srgb, ${colors.color} 55%, var(--mantine-color-text))` }
    : colors;
};

export const theme = createTheme({
  colors: { brand, gray, dark },
  black: "#17201b",
  primaryColor: "brand",
  primaryShade: 7,
  autoContrast: true,
  variantColorResolver: readableVariantColors,
  fontFamily: "system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  headings: { fontFamily: "'Bricolage Grotesque', system-ui, sans-serif", fontWeight: "700" },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // Beside a wide sibling, Mantine shrinks a button until its label is cut off.
    Button: { styles: { root: { flexShrink: 0 } } },
    Modal: {
      defaultProps: { closeButtonProps: { "aria-label": "Close" } },
      styles: {
        // A long domain must not push the close button out of the dialog.
        title: { font: "700 1.25rem/1.3 var(--mantine-font-family-headings)", minWidth: 0, overflowWrap: "anywhere" },
      },
    },
    Alert: { defaultProps: { variant: "light" } },
    Badge: { defaultProps: { tt: "none", variant: "light" } },
    // The placeholder is not allowed as a child of role=menu (axe); the first item gets the focus instead.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, position: "bottom-end" } },
    // Mantine dims the description below a title to less than the required contrast.
    Notification: { styles: { description: { color: "var(--mantine-color-text)" } } },
    Select: { defaultProps: { allowDeselect: false } },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { "aria-label": "Show or hide password", tabIndex: 0 } },
    },
  },
});

/** Backgrounds of the `light` variant, which Mantine makes as bright as buttons: they outshine their content. */
function darkAlertColors({ colors }: MantineTheme): Record<string, string> {
  const names = ["red", "orange", "yellow"] as const;
  return Object.fromEntries(
    names.map((name) => [`--mantine-color-${name}-light`, `color-mix(in srgb, ${colors[name][9]} 25%, ${dark[7]})`]),
  );
}

export const cssVariablesResolver: CSSVariablesResolver = (theme) => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": theme.colors.gray[7],
    "--mantine-color-placeholder": theme.colors.gray[7],
    "--mantine-color-error": theme.colors.red[9],
    "--mantine-color-anchor": theme.colors.brand?.[7] ?? "",
  },
  dark: {
    ...darkAlertColors(theme),
    "--mantine-color-dimmed": theme.colors.dark[1],
    "--mantine-color-placeholder": theme.colors.dark[1],
    "--mantine-color-error": theme.colors.red[4],
    "--mantine-color-anchor": theme.colors.brand?.[3] ?? "",
  },
});
