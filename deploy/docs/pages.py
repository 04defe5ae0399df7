"""The pages of the documentation site, before and after mkdocs:

    pages.py stage PROGRAMS WORK   writes WORK/mkdocs.yml, WORK/pages (the documents, and reference
                                   pages that the programs in PROGRAMS tell) and WORK/pieces.json
                                   (formulas and drawings, for draw.mjs)
    pages.py finish WORK           puts the formulas into WORK/site; ends with 1 where a link leads
                                   nowhere or a page has a script or style in itself
"""

import html.parser
import json
import posixpath
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import yaml

import reference

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DOCS = ROOT / "docs"
FENCE = re.compile(r"^( *)(```+)(\w*)")
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
# As GitHub reads it: no blank inside of the dollars, no letter or digit outside.
FORMULA = re.compile(r"(?<![\w$\\])\$(?!\s)([^$\n]+?)(?<![\s\\])\$(?![\w$])")
LIST_ITEM = re.compile(r"^ *([-*+]|\d+[.)]) ")
# Stands for a formula while mkdocs works; no page has this letter.
MARK = "\u2402"


def slug_of(heading, taken):
    """The anchor that GitHub gives a heading; `taken` counts those of the page."""
    text = re.sub(r"`|\[([^\]]*)\]\([^)]*\)", lambda found: found.group(1) or "", heading)
    slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
    taken[slug] = taken.get(slug, -1) + 1
    return slug if taken[slug] == 0 else f"{slug}-{taken[slug]}"


class Stage:
    def __init__(self, work):
        self.work, self.pages = work, work / "pages"
        self.formulas, self.drawings = [], {}

    def formula(self, tex, display):
        self.formulas.append({"tex": tex, "display": display})
        return f"{MARK}{len(self.formulas) - 1}{MARK}"

    def drawing(self, text, name, heading):
        label = f"{name.replace('/', '-')}-{sum(one.startswith(name) for one in self.drawings) + 1}"
        self.drawings[label] = text
        up = "../" * name.count("/")
        return f"![Drawing: {heading}]({up}drawings/{label}.svg){{ .drawing }}"

    def link(self, page, target):
        """Of a file that is no document a copy is served; a folder has none, and is not linked."""
        parts = urlsplit(target)
        if parts.scheme or not parts.path:
            return target
        file = (DOCS / page).parent.joinpath(unquote(parts.path)).resolve()
        up = "../" * page.count("/")
        if file == ROOT / "README.md":
            return f"{up}README.md"
        if file.is_dir() and (file / "README.md").is_file() and file.is_relative_to(DOCS):
            return f"{up}{file.relative_to(DOCS)}/README.md"
        if file.is_relative_to(DOCS):
            return target
        if not file.is_file():
            return None
        copy = Path("source") / str(file.relative_to(ROOT)).replace("/", "-")
        (self.pages / copy).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, self.pages / copy)
        return f"{up}{copy}"

    def line(self, page, text):
        """A line outside of fences; what is between backticks stays."""
        pieces = re.split(r"(`+[^`]*`+)", text)
        for at in range(0, len(pieces), 2):
            pieces[at] = FORMULA.sub(lambda found: self.formula(found.group(1), False), pieces[at])
        text = "".join(pieces)

        def linked(found):
            target = self.link(page, found.group(2))
            return f"]({target})" if target else f"]({MARK}{MARK})"

        text = LINK.sub(linked, text)
        return re.sub(r"\[([^\]]*)\]\(" + MARK * 2 + r"\)", r"\1", text)

    def document(self, page, text):
        out, fence, held, taken, heading, in_list = [], None, [], {}, page, False
        name = page.removesuffix(".md")
        for line in text.split("\n"):
            opened = FENCE.match(line)
            if fence is None and opened:
                fence, held = opened, []
            elif fence is not None and line.strip() == fence.group(2):
                out.extend(self.block(fence, held, name, heading))
                fence = None
            elif fence is not None:
                held.append(line)
            elif found := re.match(r"^(#{1,6}) (.*)$", line):
                heading = re.sub(r"[`*\[\]]|\([^)]*\)", "", found.group(2))
                slug = slug_of(found.group(2), taken)
                out.append(f"{found.group(1)} {self.line(page, found.group(2))} {{ #{slug} }}")
            elif line.startswith("    ") and not in_list:
                out.append(line)  # code
            else:
                if line.strip():
                    in_list = bool(LIST_ITEM.match(line)) or (in_list and line.startswith("  "))
                out.append(self.line(page, line))
        target = self.pages / page
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(out))

    def block(self, fence, held, name, heading):
        kind, text = fence.group(3), "\n".join(held)
        if kind == "mermaid":
            return [self.drawing(text, name, heading)]
        if kind == "math":
            return ["", f"{MARK}d{self.formula(text, True)[1:]}", ""]
        marks = fence.group(1) + fence.group(2)
        return [marks + kind, *held, marks]


def stage(programs, work):
    staged = Stage(work)
    pages = work / "pages"
    for file in sorted(DOCS.rglob("*")):
        page = str(file.relative_to(DOCS))
        if file.suffix == ".md":
            staged.document(page, file.read_text())
        elif file.is_file():
            (pages / page).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, pages / page)
    for page, text in reference.pages(programs):
        staged.document(page, text)
    config = yaml.safe_load((HERE / "mkdocs.yml").read_text())
    named = set()

    def collect(items):
        for item in items:
            value = next(iter(item.values())) if isinstance(item, dict) else item
            collect(value) if isinstance(value, list) else named.add(value)

    collect(config["nav"])
    left_out = {str(file.relative_to(pages)) for file in pages.rglob("*.md")} - named
    if left_out:
        raise SystemExit(f"deploy/docs/mkdocs.yml: nav has no {', '.join(sorted(left_out))}")
    theme = work / "theme"
    shutil.rmtree(theme, ignore_errors=True)
    shutil.copytree(HERE / "theme", theme)
    own = (ROOT / "service" / "pages" / "assets" / "vigil.css").read_text()
    (theme / "site.css").write_text(own + (theme / "site.css").read_text())
    shutil.copyfile(ROOT / "service" / "pages" / "assets" / "icon.svg", theme / "icon.svg")
    config.update(docs_dir=str(pages), theme={"name": None, "custom_dir": str(theme),
                                                "static_templates": ["404.html", "find.html"]})
    (work / "mkdocs.yml").write_text(yaml.safe_dump(config, sort_keys=False))
    (work / "pieces.json").write_text(
        json.dumps({"formulas": staged.formulas, "drawings": staged.drawings}))


class Page(html.parser.HTMLParser):
    """Anchors and links of a page, and what its content security policy would refuse."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.refused = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        said = dict(attributes)
        if said.get("id"):
            self.anchors.add(said["id"])
        for name in ("href", "src", "action"):
            if said.get(name):
                self.links.append(said[name])
        if tag == "style" or "style" in said or (tag == "script" and "src" not in said):
            self.refused.append(f"<{tag}> with a style or script in the page")
        self.refused += [f"{name} of <{tag}>" for name in said if name.startswith("on")]


def faults_of(site):
    """@return one line for each link that leads nowhere, and for each inline script or style"""
    pages = {str(file.relative_to(site)): Page(file.read_text()) for file in site.rglob("*.html")}
    faults = []
    for name, page in pages.items():
        faults += [f"{name}: {one}" for one in page.refused]
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or parts.path.startswith("/"):
                continue  # another site, or a page of the daemon
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path)))
            path = name if not parts.path else path
            if not (site / path).is_file():
                faults.append(f"{name}: {link} leads nowhere")
                continue
            anchor = unquote(parts.fragment)
            if anchor and path in pages and anchor not in pages[path].anchors:
                faults.append(f"{name}: {link} names no heading")
    return faults


def finish(work):
    site = work / "site"
    formulas = json.loads((work / "pieces.json").read_text())["formulas"]
    for file in [*site.rglob("*.html"), site / "search" / "search_index.json"]:
        in_page = file.suffix == ".html"

        def shown(found):
            formula = formulas[int(found.group(1))]
            return formula["mathml"] if in_page else json.dumps(formula["tex"])[1:-1]

        text = file.read_text()
        if not in_page:
            text = text.replace(f"\\u{ord(MARK):04x}", MARK)
        text = re.sub(f"{MARK}d?(\\d+){MARK}", shown, text)
        text = re.sub(r'(<t[hd]) style="text-align: (\w+);"', r'\1 class="\2"', text)
        if MARK in text:
            raise SystemExit(f"{file}: a formula was torn apart")
        file.write_text(text)
    for left in ("sitemap.xml", "sitemap.xml.gz", "search/main.js", "search/worker.js"):
        (site / left).unlink(missing_ok=True)
    faults = faults_of(site)
    if faults:
        raise SystemExit("\n".join(faults))


if __name__ == "__main__":
    if sys.argv[1] == "stage":
        stage(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        finish(Path(sys.argv[2]))
