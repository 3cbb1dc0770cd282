// Parses TraceQL with Grafana's own grammar: reads a JSON list of queries, writes for each the text where it broke, or null.
import { parser } from '@grafana/lezer-traceql';

let input = '';
for await (const part of process.stdin) input += part;

const broken = JSON.parse(input).map((query) => {
  let found = null;
  parser.parse(query).iterate({
    enter: (node) => {
      if (node.type.isError && found === null) found = query.slice(node.from);
    },
  });
  return found;
});
process.stdout.write(JSON.stringify(broken));
