// Markdown of reports held against the rules of markdownlint: lint.mjs FILE...; what breaks one is
// printed. Run from where the packages of tests/web are.
import { readFileSync } from "node:fs"
import { lint } from "markdownlint/sync"

const config = {
    default: true,
    MD013: false, // an issue's lines are paragraphs: a tracker breaks them where they end
    MD033: { allowed_elements: ["details", "summary"] }, // what folds
    MD041: false, // the title is the issue's own
}
// A title is one heading; a body is what stands below it.
const strings = {}
for (const file of process.argv.slice(2)) {
    const text = readFileSync(file, "utf8")
    if (file.endsWith(".txt")) {
        for (const line of text.trim().split("\n")) {
            const [name, ...title] = line.split(": ")
            strings[`title of ${name}`] = `# ${title.join(": ")}\n`
        }
    } else {
        strings[file] = text
    }
}
let count = 0
for (const [name, found] of Object.entries(lint({ strings, config }))) {
    for (const one of found) {
        count += 1
        console.log(`${name}:${one.lineNumber}: ${one.ruleNames.join("/")} ${one.ruleDescription} ${one.errorDetail ?? ""} ${one.errorContext ?? ""}`)
    }
}
console.log(`${Object.keys(strings).length} texts, ${count} faults`)
process.exit(count === 0 && Object.keys(strings).length > 1 ? 0 : 1)
