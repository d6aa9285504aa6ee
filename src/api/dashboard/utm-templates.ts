/** Routes of an account's UTM templates, the same in both modes. */
import { UtmTemplateIn, type UtmTemplateList } from "../../core/contract/utm-templates.ts";
import { ApiError } from "../../core/errors.ts";
import {
  changeUtmTemplate,
  createUtmTemplate,
  deleteUtmTemplate,
  listUtmTemplates,
} from "../../store/accounts/utm-templates.ts";
import { createHandlers } from "../context.ts";
import { respondJson } from "../json-response.ts";
import { access } from "../middleware/access.ts";
import { body, noQuery, pathParam } from "../middleware/input.ts";

export const listTemplatesRoute = createHandlers(access(null), noQuery, async (c) => {
  const list: UtmTemplateList = { data: await listUtmTemplates(c.env, c.var.account.id) };
  return respondJson(c, { status: 200, body: list });
});

export const createTemplateRoute = createHandlers(access(null), body(UtmTemplateIn), async (c) => {
  const template = await createUtmTemplate(c.env, c.var.account.id, c.req.valid("json"));
  return respondJson(c, { status: 201, body: template });
});

export const changeTemplateRoute = createHandlers(access(null), body(UtmTemplateIn), async (c) => {
  const template = await changeUtmTemplate(c.env, c.var.account.id, pathParam(c, "id"), c.req.valid("json"));
  if (!template) throw notFound();
  return respondJson(c, { status: 200, body: template });
});

export const deleteTemplateRoute = createHandlers(access(null), noQuery, async (c) => {
  if (!(await deleteUtmTemplate(c.env, c.var.account.id, pathParam(c, "id")))) throw notFound();
  return c.body(null, 204);
});

function notFound(): ApiError {
  return new ApiError("not_found", "This UTM template does not exist.");
}
