/** Layout of the settings pages, with their navigation. */
import type { ComponentProps } from "react";
import { Link, useLocation } from "wouter";

import { Page } from "../../components/page.tsx";
import { settingsTexts as texts } from "../../texts/settings.ts";
import classes from "./settings-layout.module.css";

const SETTINGS_PAGES = [
  { to: "/settings/account", label: texts.account },
  { to: "/settings/api-keys", label: texts.apiKeys },
  { to: "/settings/domains", label: texts.domains },
  { to: "/settings/utm-templates", label: texts.utmTemplates },
];

export function SettingsLayout({ children, ...page }: ComponentProps<typeof Page>) {
  const [path] = useLocation();
  return (
    <div className={classes.settings}>
      <nav aria-label={texts.navigation} className={classes.sections}>
        {SETTINGS_PAGES.map(({ to, label }) => (
          <Link key={to} to={to} className={classes.section} aria-current={path === to ? "page" : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      <div className={classes.page}>
        <Page {...page}>{children}</Page>
      </div>
    </div>
  );
}
