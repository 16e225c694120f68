GRANT USAGE ON SCHEMA mcp_docs TO docs_publish, docs_serve;

-- Publishing adds and removes versions, and tells the replicas.
GRANT SELECT ON mcp_docs.schema_version TO docs_publish;
GRANT SELECT, INSERT, UPDATE ON mcp_docs.cursors, mcp_docs.log TO docs_publish;
GRANT SELECT, INSERT, UPDATE, DELETE ON mcp_docs.trees, mcp_docs.tree_files, mcp_docs.blobs, mcp_docs.blob_parts, mcp_docs.projects TO docs_publish;

-- Serving reads versions, and writes everything else.
GRANT SELECT ON mcp_docs.schema_version, mcp_docs.trees, mcp_docs.tree_files, mcp_docs.blobs, mcp_docs.blob_parts, mcp_docs.projects TO docs_serve;
GRANT SELECT, INSERT, UPDATE, DELETE ON mcp_docs.cursors, mcp_docs.log, mcp_docs.leases, mcp_docs.captures, mcp_docs.capture_parts, mcp_docs.jobs,
  mcp_docs.ended_sessions, mcp_docs.session_key TO docs_serve;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA mcp_docs TO docs_publish, docs_serve;
