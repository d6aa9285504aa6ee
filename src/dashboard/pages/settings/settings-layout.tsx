/** Layout of the settings pages, with their navigation. */
import type { ComponentProps } from "react";
import { Link, useLocation } from "wouter";

import { Page } from "../../components/page.tsx";
import { accountTexts, apiKeyTexts, domainTexts, utmTemplateTexts } from "../../texts/settings.ts";
import { shellTexts } from "../../texts/shell.ts";
import classes from "./settings-layout.module.css";

const SETTINGS_PAGES = [
  { to: "/settings/account", label: accountTexts.title },
  { to: "/settings/api-keys", label: apiKeyTexts.title },
  { to: "/settings/domains", label: domainTexts.title },
  { to: "/settings/utm-templates", label: utmTemplateTexts.title },
];

export function SettingsLayout({ children, ...page }: ComponentProps<typeof Page>) {
  const [path] = useLocation();
  return (
    <div className={classes.settings}>
      <nav aria-label={shellTexts.settings} className={classes.sections}>
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
