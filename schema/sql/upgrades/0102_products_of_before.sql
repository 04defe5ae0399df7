-- Source trees that were exported before their submodules came along are exported anew; what was
-- built of them goes, for the submodules were empty folders there.
DELETE FROM product WHERE build_id IN (
    SELECT id FROM build WHERE input_kind = 'source_tree' AND input_digest IS NULL
        AND NOT EXISTS (SELECT 1 FROM source_facts WHERE build_id = build.id));
