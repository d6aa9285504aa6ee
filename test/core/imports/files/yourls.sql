-- MySQL dump 10.13
/*!40101 SET NAMES utf8mb4 */;
CREATE TABLE `yourls_url` (
  `keyword` varchar(100) NOT NULL DEFAULT '',
  `url` text NOT NULL
);
INSERT INTO `yourls_options` VALUES (1,'version','1.10');
INSERT INTO `yourls_url` VALUES ('spring','https://example.com/spring','It\'s; INSERT INTO `yourls_url` VALUES (\'evil\',\'https://evil.example/\')','2024-03-01 09:00:00','192.0.2.1',7),('plain','https://example.com/plain',NULL,'2024-03-01 09:00:00','192.0.2.1',0);
INSERT INTO `yourls_url` (`url`, `keyword`, `clicks`) VALUES
('https://example.com/quote''d', 'quoted', 3);
INSERT INTO `yourls_log` VALUES (1,'2024-05-01 10:00:02','spring','https://example.org/page','Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0','192.0.2.1','DE'),(2,'2024-05-01 10:00:01','spring','direct','It\'s; a \"program\"','192.0.2.1','');
INSERT INTO `yourls_log` (`click_id`, `click_time`, `shorturl`, `referrer`, `user_agent`, `ip_address`, `country_code`) VALUES
(3, '2024-05-01 10:00:00', 'gone', 'direct', 'Example/1.0', '192.0.2.1', '');
