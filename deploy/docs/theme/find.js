// Searches the documentation's own index, which is served beside it: nothing is asked elsewhere.
const asked = (new URLSearchParams(location.search).get("q") ?? "").slice(0, 200)
const said = document.getElementById("said")
const list = document.getElementById("found")
const MOST = 30

function excerpt(text, words) {
    const low = text.toLowerCase()
    const places = words.map(word => low.indexOf(word)).filter(at => at >= 0)
    const from = Math.max(0, Math.min(...places, text.length) - 80)
    return (from > 0 ? "... " : "") + text.slice(from, from + 240)
}

function show(document_, words) {
    const item = document.createElement("li")
    const link = document.createElement("a")
    link.href = document_.location
    link.textContent = document_.title
    const text = document.createElement("p")
    text.textContent = excerpt(document_.text, words)
    item.append(link, text)
    list.append(item)
}

async function search() {
    document.getElementById("find").value = asked
    const words = asked.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter(word => word !== "")
    if (words.length === 0) {
        said.textContent = "Type a word into the field above."
        return
    }
    said.textContent = "Searching ..."
    const answer = await fetch("search/search_index.json")
    if (!answer.ok) throw new Error(`the index answers ${answer.status}`)
    const { docs } = await answer.json()
    const index = window.lunr(function () {
        this.ref("location")
        this.field("title", { boost: 10 })
        this.field("text")
        for (const one of docs) this.add(one)
    })
    // Each word, whole or as a beginning; those that have all of them come first.
    const found = index.query(query => {
        for (const word of words) {
            query.term(word, { boost: 10 })
            query.term(word, { wildcard: window.lunr.Query.wildcard.TRAILING })
        }
    })
    const byPlace = new Map(docs.map(one => [one.location, one]))
    for (const one of found.slice(0, MOST)) show(byPlace.get(one.ref), words)
    const number = found.length === 1 ? "1 section has" : `${found.length} sections have`
    said.textContent = found.length === 0 ? `Nothing has "${asked}".`
        : `${number} "${asked}"${found.length > MOST ? `; the first ${MOST} are below` : ""}.`
}

search().catch(error => { said.textContent = `The search failed: ${error.message}` })
