// What the server does in each scenario of the official conformance suite.

const all = ['2025-06-18', '2025-11-25', '2026-07-28']
const latest = ['2025-11-25', '2026-07-28']
const sessions = ['2025-06-18', '2025-11-25']
const last = ['2025-11-25'] // with sessions
const stateless = ['2026-07-28']

// The suite comes with its own server. Some scenarios name the tools and prompts of that server.
const tool = 'it calls a tool that only the suite\'s own server has'
const asks = 'it calls a tool or prompt that asks the client for something; nothing here does'
const logging = 'it asks for log messages; logs go to standard error only, and the capability is not declared'
const schema = 'it looks at the schema of a tool that only the suite\'s own server has'
const headers = 'it needs a tool with arguments in headers (x-mcp-header); no tool here has any'
const untestable = 'not testable, says the suite: they need tools that only its own server has'

// expectations lists the checks that do not succeed, with the reason. If fails is null, the scenario runs no check.
const expectations = [
  // scenario, versions, fails, reason
  ['caching', stateless, []],
  ['completion-complete', all, []],
  ['dns-rebinding-protection', latest, []],
  ['elicitation-sep1034-defaults', last, ['elicitation-sep1034-general'], asks],
  ['elicitation-sep1330-enums', last, ['elicitation-sep1330-general'], asks],
  ['http-custom-header-server-validation', stateless, [
    'sep-2243-server-decode-base64', 'sep-2243-server-no-xmcp-tool', 'sep-2243-server-reject-invalid-param-chars',
    'sep-2243-server-reject-param-mismatch', 'sep-2243-server-validate-param-match',
  ], headers],
  ['http-header-validation', stateless, []],
  ['input-required-result-basic-elicitation', stateless, ['sep-2322-elicitation-incomplete'], asks],
  ['input-required-result-basic-list-roots', stateless, ['sep-2322-list-roots-incomplete'], asks],
  ['input-required-result-basic-sampling', stateless, ['sep-2322-sampling-incomplete'], asks],
  ['input-required-result-capability-check', stateless, ['sep-2322-respect-client-capabilities'], asks],
  ['input-required-result-ignore-extra-params', stateless, ['sep-2322-ignore-unexpected-params'], asks],
  ['input-required-result-missing-input-response', stateless, ['sep-2322-missing-response-rerequests'], asks],
  ['input-required-result-multi-round', stateless, ['sep-2322-multi-round-r1'], asks],
  ['input-required-result-multiple-input-requests', stateless, ['sep-2322-multiple-inputs-incomplete'], asks],
  ['input-required-result-non-tool-request', stateless, ['sep-2322-non-tool-incomplete'], asks],
  ['input-required-result-request-state', stateless, ['sep-2322-request-state-incomplete'], asks],
  ['input-required-result-result-type', stateless, ['sep-2322-result-type-included'], asks],
  ['input-required-result-tampered-state', stateless, ['sep-2322-reject-tampered-state'], asks],
  ['input-required-result-unsupported-methods', stateless, []],
  ['input-required-result-validate-input', stateless, []],
  ['json-schema-2020-12', latest, ['json-schema-2020-12-tool-found'], schema],
  ['logging-set-level', sessions, ['logging-set-level'], logging],
  ['ping', sessions, []],
  ['prompts-get-embedded-resource', all, []],
  ['prompts-get-simple', all, []],
  ['prompts-get-with-args', all, []],
  ['prompts-get-with-image', all, []],
  ['prompts-list', all, []],
  ['resources-list', all, []],
  ['resources-read-binary', all, []],
  ['resources-read-text', all, []],
  ['resources-subscribe', sessions, []],
  ['resources-templates-read', all, []],
  ['resources-unsubscribe', sessions, []],
  ['sep-2164-resource-not-found', stateless, []],
  ['sep-2640-skills-directory', latest, []],
  ['sep-2640-skills-enumeration', stateless, []],
  ['sep-2640-skills-enumeration', last, ['sep-2640-skills-get-cache-attributes', 'sep-2640-skills-list-cache-attributes'], 'results say how long they may be kept since 2026-07-28 only'],
  ['sep-2640-skills-manifest', latest, []],
  ['server-initialize', sessions, []],
  ['server-session-lifecycle', sessions, []],
  ['server-sse-multiple-streams', latest, []],
  ['server-sse-polling', last, null, 'it calls a tool that ends its stream to have the client come back; answers here are not streams'],
  ['server-stateless', stateless, [
    'sep-2575-http-server-no-independent-requests-on-stream', 'sep-2575-missing-capability-http-400',
    'sep-2575-server-no-log-without-loglevel', 'sep-2575-server-rejects-undeclared-capability',
  ], untestable],
  ['tools-call-audio', all, ['tools-call-audio'], tool],
  ['tools-call-elicitation', sessions, ['tools-call-elicitation'], asks],
  ['tools-call-embedded-resource', all, ['tools-call-embedded-resource'], tool],
  ['tools-call-error', all, ['tools-call-error'], tool],
  ['tools-call-image', all, ['tools-call-image'], tool],
  ['tools-call-mixed-content', all, ['tools-call-mixed-content'], tool],
  ['tools-call-sampling', sessions, ['tools-call-sampling'], asks],
  ['tools-call-simple-text', all, ['tools-call-simple-text'], tool],
  ['tools-call-with-logging', sessions, ['tools-call-with-logging'], logging],
  ['tools-call-with-progress', all, ['tools-call-with-progress'], tool],
  ['tools-list', all, []],
].map(([scenario, versions, fails, reason]) => ({ scenario, versions, fails, reason }))

// expected returns what is expected of one server, or of replicas.
export const expected = (version, replicas) => expectations.filter((row) => row.versions.includes(version)).map((row) => {
  if (!replicas || !row.scenario.endsWith('subscribe')) return row
  return { ...row, fails: [row.scenario], reason: 'replicas do not offer resources/subscribe' }
})
