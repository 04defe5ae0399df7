// Bundles the scripts: bundle.mjs OUTPUT_FOLDER. A file's name ends with a digest of what it holds;
// what only some pages need is a file of its own, which they ask for.

import { rmSync } from "node:fs";

import { build } from "esbuild";

const [output] = process.argv.slice(2);
rmSync(output, { recursive: true, force: true });
await build({
  entryPoints: ["src/vigil.ts"],
  outdir: output,
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  charset: "utf8",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  publicPath: "/assets",
  loader: { ".css": "file" },
  logLevel: "warning",
});
