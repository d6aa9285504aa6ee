/** The dashboard's paths. The code of each page is loaded when the page is first opened. */
import { lazy, Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";

import { PageSkeleton } from "./components/skeletons.tsx";
import { Shell } from "./shell/shell.tsx";

const SignIn = lazy(() => import("./pages/auth/sign-in.tsx"));
const SignUp = lazy(() => import("./pages/auth/sign-up.tsx"));
const Links = lazy(() => import("./pages/links/links.tsx"));
const LinkDetails = lazy(() => import("./pages/link/link.tsx"));
const ApiKeys = lazy(() => import("./pages/settings/api-keys.tsx"));
const Domains = lazy(() => import("./pages/settings/domains.tsx"));
const Account = lazy(() => import("./pages/settings/account.tsx"));
const NotFound = lazy(() => import("./pages/not-found.tsx"));

export function Routes() {
  return (
    <Suspense fallback={null}>
      <Switch>
        <Route path="/sign-in" component={SignIn} />
        <Route path="/sign-up" component={SignUp} />
        <Route>
          <Shell>
            <Suspense fallback={<PageSkeleton />}>
              <Switch>
                <Route path="/">
                  <Redirect to="/links" replace />
                </Route>
                <Route path="/links" component={Links} />
                <Route path="/links/:id">{({ id }) => <LinkDetails id={id} />}</Route>
                <Route path="/settings">
                  <Redirect to="/settings/api-keys" replace />
                </Route>
                <Route path="/settings/api-keys" component={ApiKeys} />
                <Route path="/settings/domains" component={Domains} />
                <Route path="/settings/account" component={Account} />
                <Route component={NotFound} />
              </Switch>
            </Suspense>
          </Shell>
        </Route>
      </Switch>
    </Suspense>
  );
}
