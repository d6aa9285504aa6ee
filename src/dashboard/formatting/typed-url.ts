export { completeUrl } from "../../core/links/typed-url.ts";
