/** The dashboard's paths. The code of each page is loaded when it is first opened. */
import { Redirect, Route, Switch } from "wouter";

import { ErrorBoundary, lazyPart } from "./components/lazy-part.tsx";
import { PageSkeleton } from "./components/states.tsx";
import { Shell } from "./shell/shell.tsx";

const SignIn = lazyPart(() => import("./pages/auth/sign-in.tsx"));
const SignUp = lazyPart(() => import("./pages/auth/sign-up.tsx"));
const Setup = lazyPart(() => import("./pages/auth/setup.tsx"));
const Reset = lazyPart(() => import("./pages/auth/reset.tsx"));
const Overview = lazyPart(() => import("./pages/overview/overview.tsx"), <PageSkeleton />, "overview");
const Links = lazyPart(() => import("./pages/links/links.tsx"), <PageSkeleton />, "links");
const LinkDetails = lazyPart(() => import("./pages/link/link.tsx"), <PageSkeleton />, "link");
const Wall = lazyPart(() => import("./pages/wall/wall.tsx"));
const ApiKeys = lazyPart(() => import("./pages/settings/api-keys.tsx"), <PageSkeleton />);
const Domains = lazyPart(() => import("./pages/settings/domains.tsx"), <PageSkeleton />);
const UtmTemplates = lazyPart(() => import("./pages/settings/utm-templates.tsx"), <PageSkeleton />);
const Account = lazyPart(() => import("./pages/settings/account.tsx"), <PageSkeleton />);
const Tags = lazyPart(() => import("./pages/tags/tags.tsx"), <PageSkeleton />);
const Import = lazyPart(() => import("./pages/import/import.tsx"), <PageSkeleton />);
const Operator = lazyPart(() => import("./pages/operator/operator.tsx"), <PageSkeleton />);
const NotFound = lazyPart(() => import("./pages/not-found.tsx"), <PageSkeleton />);

export function Routes() {
  return (
    <ErrorBoundary>
      <Switch>
        <Route path="/sign-in" component={SignIn} />
        <Route path="/sign-up" component={SignUp} />
        <Route path="/setup" component={Setup} />
        <Route path="/reset" component={Reset} />
        <Route path="/wall" component={Wall} />
        <Route>
          <Shell>
            <Switch>
              <Route path="/" component={Overview} />
              <Route path="/links" component={Links} />
              <Route path="/links/:id">{({ id }) => <LinkDetails key={id} id={id} />}</Route>
              <Route path="/tags" component={Tags} />
              <Route path="/import" component={Import} />
              <Route path="/settings">
                <Redirect to="/settings/account" replace />
              </Route>
              <Route path="/settings/api-keys" component={ApiKeys} />
              <Route path="/settings/domains" component={Domains} />
              <Route path="/settings/utm-templates" component={UtmTemplates} />
              <Route path="/settings/account" component={Account} />
              <Route path="/operator" component={Operator} />
              <Route component={NotFound} />
            </Switch>
          </Shell>
        </Route>
      </Switch>
    </ErrorBoundary>
  );
}
