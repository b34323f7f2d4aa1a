// The API's description, read from /openapi.json and laid out: nothing is loaded from outside.

import { html } from "/static/kit.js";

const description = await (await fetch("/openapi.json")).json();
const calls = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, call]) => callSection(method, path, call)));
const models = Object.entries(description.components?.schemas ?? {}).map(([name, schema]) => modelSection(name, schema));

document.getElementById("docs").replaceChildren(
  html("h1", { text: `${description.info.title} ${description.info.version}` }),
  html("p", { text: description.info.summary ?? "" }),
  html("p", {}, "The same for programs: ", html("a", { href: "/openapi.json", text: "/openapi.json" })),
  ...calls,
  html("h2", { text: "Models" }),
  ...models,
);

function callSection(method, path, call) {
  const body = call.requestBody?.content?.["application/json"]?.schema;
  const parameters = (call.parameters ?? []).map((p) => row(p.name, `${p.in}${p.required ? ", required" : ""}: ${p.description ?? typeName(p.schema)}`));
  const answers = Object.entries(call.responses).map(([status, response]) => row(status, [
    response.description,
    ...Object.entries(response.content ?? {}).flatMap(([type, content]) => [` ${type} `, typeLink(content.schema ?? {})]),
    ...Object.entries(response.headers ?? {}).map(([name, header]) => `; in the header ${name}: ${header.description}${fieldNames(header)}`),
  ]));
  return html("section", {},
    html("h2", {}, html("span", { class: "method", text: method.toUpperCase() }), html("code", { text: path })),
    html("p", { text: call.description ?? call.summary ?? "" }),
    html("table", { "aria-label": `${method.toUpperCase()} ${path}: what it takes and answers` }, html("tbody", {}, parameters, body ? row("body", [typeLink(body)]) : null, answers)));
}

function modelSection(name, schema) {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {}).map(([key, property]) => row(key + (required.has(key) ? "" : "?"), [typeLink(property), ` ${property.description ?? ""}`]));
  const values = schema.enum ? html("p", { text: schema.enum.join(", ") }) : null;
  return html("section", { id: name }, html("h3", { text: name }), html("p", { text: schema.description ?? "" }), values, html("table", { "aria-label": `Fields of ${name}` }, html("tbody", {}, rows)));
}

/** What a header with JSON holds. */
function fieldNames(header) {
  const fields = Object.entries(header.content?.["application/json"]?.schema.properties ?? {});
  return fields.length ? `: ${fields.map(([name, field]) => `${name} (${typeName(field)})`).join(", ")}` : "";
}

function row(name, text) {
  return html("tr", {}, html("th", { scope: "row" }, html("code", { text: name })), html("td", {}, ...[text].flat()));
}

function typeLink(schema) {
  const name = typeName(schema);
  const model = /[A-Z]\w+/.exec(name);
  return model ? html("a", { href: `#${model[0]}` }, html("code", { text: name })) : html("code", { text: name });
}

function typeName(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.anyOf) return schema.anyOf.map(typeName).join(" or ");
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeName).join(", ")}]`;
  if (schema.type === "array") return `${typeName(schema.items ?? {})}[]`;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.type === "object" && schema.additionalProperties) return `{name: ${typeName(schema.additionalProperties)}}`;
  return schema.type ?? "any";
}
