// Draws what the pages hold as text: draw.mjs PIECES DRAWINGS. PIECES is JSON: `formulas`, each
// {tex, display}, become MathML in place; `drawings`, the texts of mermaid by name, become files
// DRAWINGS/NAME.svg.
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { chromium } from "playwright-core"
import katex from "katex"

const [file, folder] = process.argv.slice(2)
const pieces = JSON.parse(await readFile(file, "utf8"))

for (const formula of pieces.formulas) {
    const text = katex.renderToString(formula.tex, {
        displayMode: formula.display, output: "mathml", strict: "error" })
    // A script of its own reads it out; what KaTeX wraps around is for its own style sheet.
    formula.mathml = text.replace(/^<span class="katex">|<\/span>$/g, "")
        .replace(/<annotation.*?<\/annotation>/gs, "").replace(/ style="[^"]*"/g, "")
}

const mermaid = createRequire(import.meta.url).resolve("mermaid/dist/mermaid.min.js")
const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] })
try {
    const page = await browser.newPage()
    await page.setContent("<!doctype html><body></body>")
    await page.addScriptTag({ path: mermaid })
    await mkdir(folder, { recursive: true })
    for (const [name, text] of Object.entries(pieces.drawings)) {
        const svg = await page.evaluate(async ([id, drawn]) => {
            window.mermaid.initialize({ startOnLoad: false, theme: "neutral", htmlLabels: false,
                                        flowchart: { htmlLabels: false }, deterministicIds: true })
            return (await window.mermaid.render(id, drawn)).svg
        }, [name, text])
        await writeFile(`${folder}/${name}.svg`, svg)
    }
} finally {
    await browser.close()
}
await writeFile(file, JSON.stringify(pieces))
